package io.github.zklock.internal.session;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.zklock.testing.Stopwatch;
import io.github.zklock.testing.Warnings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * For how long a source that is closed waits for the servers, and whether it warns.
 */
class SourceEndTests {

	private static final Duration PATIENCE = Duration.ofSeconds(SessionSource.CLOSE_SECONDS);

	private final SourceEnd end = new SourceEnd();

	private Warnings warnings;

	@BeforeEach
	void listen() {
		this.warnings = new Warnings();
	}

	@AfterEach
	void listenNoMore() {
		this.warnings.close();
	}

	@Test
	void aClientThatHadItsTimeWithoutLeavingHasWaitedAndWarned() {
		this.end.leaves();
		Stopwatch closing = Stopwatch.start();
		await().until(() -> closing.elapsed().compareTo(PATIENCE) > 0);
		this.end.left(false);
		closeAndAwait(Duration.ZERO, PATIENCE.dividedBy(2));
		assertThat(this.warnings.messages()).isEmpty();
	}

	@Test
	void aClientThatHasLeftHasNotWarned() {
		this.end.leaves();
		this.end.left(true);
		closeAndAwait(PATIENCE, PATIENCE.multipliedBy(2));
		assertThat(this.warnings.messages()).contains(SessionSource.UNCONFIRMED);
	}

	@Test
	void anInterruptEndsTheWaitAndIsKept() {
		this.end.leaves();
		Thread.currentThread().interrupt();
		closeAndAwait(Duration.ZERO, PATIENCE.dividedBy(2));
		assertThat(Thread.interrupted()).isTrue();
		assertThat(this.warnings.messages()).isEmpty();
	}

	private void closeAndAwait(Duration least, Duration most) {
		this.end.close();
		Stopwatch stopwatch = Stopwatch.start();
		this.end.await();
		stopwatch.assertBetween(least, most);
	}

}
