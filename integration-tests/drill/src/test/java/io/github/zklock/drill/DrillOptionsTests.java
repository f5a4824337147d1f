package io.github.zklock.drill;

import java.io.PrintWriter;
import java.io.StringWriter;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

import static org.assertj.core.api.Assertions.assertThat;

class DrillOptionsTests {

	private static DrillOptions parse(String... arguments) {
		DrillOptions options = new DrillOptions();
		new CommandLine(CommandSpec.create().addMixin("options", CommandSpec.forAnnotatedObject(options)))
			.parseArgs(arguments);
		return options;
	}

	@Test
	void withoutOptionsNobodyIsKilled() {
		DrillOptions options = parse();
		assertThat(options.tickets()).isEqualTo(300);
		assertThat(options.clients()).isEqualTo(6);
		assertThat(options.killLeader()).isFalse();
		assertThat(options.postgreSql()).isFalse();
		assertThat(options.capacity()).isFalse();
	}

	@Test
	void everyOptionMatters() {
		DrillOptions options = parse("--kill-leader", "--tickets", "20", "--postgres", "--clients", "3", "--capacity");
		assertThat(options.tickets()).isEqualTo(20);
		assertThat(options.clients()).isEqualTo(3);
		assertThat(options.killLeader()).isTrue();
		assertThat(options.postgreSql()).isTrue();
		assertThat(options.capacity()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "--kill", "--tickets", "--tickets 0", "--tickets -1", "--tickets 10001", "--tickets many",
			"--clients 51", "--clients 99999999999", "x" })
	void mistakesAreRefusedWithWhatThereIs(String arguments) {
		StringWriter refused = new StringWriter();
		assertThat(DrillMain.commandLine().setErr(new PrintWriter(refused, true)).execute(arguments.split(" ", -1)))
			.isEqualTo(2);
		assertThat(refused.toString()).contains(arguments.split(" ", -1)[0]).contains("--kill-leader");
	}

	@Test
	void everyOptionIsExplained() {
		StringWriter printed = new StringWriter();
		assertThat(DrillMain.commandLine().setOut(new PrintWriter(printed, true)).execute("--help")).isZero();
		assertThat(printed.toString()).contains("--kill-leader", "--tickets=N", "--clients=N", "--postgres",
				"--capacity", "--help");
	}

}
