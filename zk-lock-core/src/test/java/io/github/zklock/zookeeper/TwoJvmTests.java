package io.github.zklock.zookeeper;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.testing.OtherJvm;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two JVMs of their own count in one file.
 */
@Tag("slow")
@Timeout(300)
class TwoJvmTests {

	private static final int ROUNDS = 300;

	private static final Duration LONG = Duration.ofMinutes(2);

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	@TempDir
	Path directory;

	@ParameterizedTest
	@CsvSource({ "naive, naive", "sequential, sequential", "naive, sequential" })
	void noUpdateIsLostUnderALock(String first, String second) throws Exception {
		assertThat(count(ROUNDS, first, second)).isEqualTo(2 * ROUNDS);
	}

	@Test
	void updatesAreLostWithoutALock() throws Exception {
		int rounds = 5_000;
		assertThat(count(rounds, FileCounter.NO_LOCK, FileCounter.NO_LOCK)).isLessThan(2 * rounds);
	}

	private int count(int rounds, String first, String second) throws IOException {
		Path file = this.directory.resolve("counter");
		FileCounter counter = new FileCounter(file);
		counter.write(0);
		try (OtherJvm one = start(first, file, rounds); OtherJvm two = start(second, file, rounds)) {
			assertThat(one.read()).isEqualTo("ready");
			assertThat(two.read()).isEqualTo("ready");
			one.write("go");
			two.write("go");
			assertThat(one.awaitExit(LONG)).isZero();
			assertThat(two.awaitExit(LONG)).isZero();
		}
		return counter.read();
	}

	private OtherJvm start(String strategy, Path file, int rounds) {
		return OtherJvm.start(FileCounter.class, this.zk.servers().connectString(), this.zk.root(), strategy,
				file.toString(), Integer.toString(rounds));
	}

}
