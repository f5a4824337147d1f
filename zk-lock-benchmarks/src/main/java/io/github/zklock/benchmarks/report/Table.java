package io.github.zklock.benchmarks.report;

import java.util.ArrayList;
import java.util.List;

/**
 * A Markdown table.
 */
final class Table {

	private final List<List<String>> rows = new ArrayList<>();

	Table(List<String> head) {
		this.rows.add(head);
		this.rows.add(head.stream().map((column) -> "---").toList());
	}

	void add(List<String> row) {
		if (row.size() != this.rows.get(0).size()) {
			throw new IllegalArgumentException("%s does not fit below %s".formatted(row, this.rows.get(0)));
		}
		this.rows.add(row);
	}

	@Override
	public String toString() {
		StringBuilder text = new StringBuilder();
		for (List<String> row : this.rows) {
			text.append("| ").append(String.join(" | ", row)).append(" |\n");
		}
		return text.toString();
	}

}
