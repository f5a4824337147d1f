package io.github.zklock.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The README, or a page of the documentation, as tests read it.
 */
final class Readme {

	static final Path ROOT = Path.of("").toAbsolutePath().getParent();

	private static final Pattern BLOCK = Pattern.compile(
			"(?:<!-- region: (?<file>\\S+)#(?<region>\\S+) -->\\n)?```(?<language>\\w*)\\n(?<text>.*?)\\n```\\n",
			Pattern.DOTALL);

	private static final Pattern ROW = Pattern.compile("\\| (.*) \\|");

	private final String text;

	private Readme(String text) {
		this.text = text;
	}

	static Readme read() {
		return read("README.md");
	}

	static Readme read(String page) {
		return new Readme(text(ROOT.resolve(page)));
	}

	static String text(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	String text() {
		return this.text;
	}

	List<Block> blocks(String... languages) {
		List<Block> blocks = new ArrayList<>();
		Matcher matcher = BLOCK.matcher(this.text);
		while (matcher.find()) {
			if (List.of(languages).contains(matcher.group("language"))) {
				blocks.add(new Block(matcher.group("file"), matcher.group("region"), matcher.group("text")));
			}
		}
		return blocks;
	}

	/**
	 * Returns the rows of the first table of a section, without its head.
	 * @param heading the section's heading
	 * @return the cells of each row, without the backquotes around them
	 */
	List<List<String>> table(String heading) {
		List<List<String>> rows = section(heading).lines()
			.dropWhile((line) -> !line.startsWith("|"))
			.takeWhile((line) -> line.startsWith("|"))
			.map(ROW::matcher)
			.filter(Matcher::matches)
			.map((row) -> List.of(row.group(1).split(" *\\| *", -1)))
			.toList();
		return rows.subList(1, rows.size());
	}

	private String section(String heading) {
		int begin = this.text.indexOf("\n## " + heading + "\n");
		if (begin < 0) {
			throw new IllegalArgumentException("There is no section '" + heading + "'");
		}
		int end = this.text.indexOf("\n## ", begin + 1);
		return this.text.substring(begin, (end < 0) ? this.text.length() : end);
	}

	/**
	 * A fenced block.
	 *
	 * @param file the file that it shows a region of, or null
	 * @param region the region's name, or null
	 * @param text what it shows
	 */
	record Block(String file, String region, String text) {

		/**
		 * Returns what it should show.
		 * @return the region's lines, as far left as they go, indented by spaces
		 */
		String source() {
			String source = Readme.text(ROOT.resolve(this.file));
			Matcher matcher = Pattern
				.compile("[^\\n]*tag::" + this.region + "\\[][^\\n]*\\n(.*?)\\n[^\\n]*end::" + this.region + "\\[]",
						Pattern.DOTALL)
				.matcher(source);
			if (!matcher.find()) {
				throw new IllegalArgumentException(this.file + " has no region '" + this.region + "'");
			}
			return matcher.group(1).replace("\t", "    ").stripIndent().strip();
		}

	}

}
