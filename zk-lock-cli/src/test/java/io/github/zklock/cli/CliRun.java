package io.github.zklock.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A command that was run in this JVM.
 *
 * @param code its exit code
 * @param out what it printed
 * @param err what it said went wrong
 */
record CliRun(int code, String out, String err) {

	static CliRun of(String... args) {
		StringWriter out = new StringWriter();
		StringWriter err = new StringWriter();
		int code = ZkLockCli.execute(new PrintWriter(out, true), new PrintWriter(err, true), args);
		return new CliRun(code, out.toString(), err.toString());
	}

	List<JsonNode> jsonLines() {
		JsonMapper mapper = JsonMapper.builder().build();
		return this.out.lines().map(mapper::readTree).toList();
	}

	JsonNode json() {
		return JsonMapper.builder().build().readTree(this.out);
	}

}
