package io.github.zklock.cli;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.testing.ServerFixture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The jar as an operator starts it.
 */
@Tag("slow")
@Timeout(120)
class ZkLockCliIT {

	@RegisterExtension
	final ServerFixture zk = ServerFixture.onOneServer();

	private Process start(String... args) throws Exception {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-jar",
						System.getProperty("cli.jar")));
		command.addAll(List.of(args));
		command.addAll(List.of("--connect-string", this.zk.servers().connectString(), "--root", this.zk.root()));
		return new ProcessBuilder(command).redirectErrorStream(true).start();
	}

	private static String output(Process process) throws Exception {
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
		return output;
	}

	@Test
	void holdsUntilASignalAndLeavesNothing() throws Exception {
		Process hold = start("hold", "a");
		assertThat(hold.inputReader().readLine()).startsWith("There was no node '" + this.zk.root() + "'");
		assertThat(hold.inputReader().readLine()).startsWith("Holding 'a'").contains(this.zk.root() + "/a/");
		Process list = start("list", "--json");
		assertThat(output(list)).startsWith("[{\"key\":\"a\"").contains("\"application\":\"zk-lock-cli\"");
		assertThat(list.exitValue()).isZero();
		hold.destroy();
		assertThat(hold.waitFor(30, TimeUnit.SECONDS)).isTrue();
		// At once, not when the session has expired
		await().atMost(Duration.ofSeconds(1)).until(() -> this.zk.contenders("a").isEmpty());
		Process nothing = start("list");
		assertThat(output(nothing)).isEmpty();
		assertThat(nothing.exitValue()).isEqualTo(3);
	}

	@ParameterizedTest
	@ValueSource(strings = { "0s", "1ms" })
	void takesAFreeKeyAtOnceAlthoughItHasOnlyJustStarted(String timeout) throws Exception {
		Process hold = start("hold", "a", "--timeout", timeout, "--for", "1ms");
		assertThat(output(hold)).contains("Holding 'a'");
		assertThat(hold.exitValue()).isZero();
	}

	@Test
	void endsAtOnceWhereAPasswordIsAskedFor() throws Exception {
		Process list = start("list", "--username=shop", "--password");
		StringBuilder asked = new StringBuilder();
		while (!asked.toString().contains("--password")) {
			int next = list.getInputStream().read();
			assertThat(next).as(asked.toString()).isNotNegative();
			asked.append((char) next);
		}
		// Leaves its output open
		list.toHandle().destroy();
		assertThat(output(list)).doesNotContain("Not closed within");
	}

}
