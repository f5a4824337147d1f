package io.github.zklock.internal.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What becomes of the start of a run that its caller gives up.
 */
class JobMarksTests {

	private final AtomicInteger takenBack = new AtomicInteger();

	private final JobMarks.Run run = new JobMarks.Run() {

		@Override
		public CompletionStage<Void> ended(String outcome, boolean held) {
			throw new AssertionError("Nobody has begun it");
		}

		@Override
		public void takeBack() {
			JobMarksTests.this.takenBack.incrementAndGet();
		}

	};

	@Test
	void aRunThatWasStartedJustBeforeItsCallerGaveUpIsTakenBack() {
		CompletableFuture<JobMarks.Attempt> outcome = CompletableFuture
			.completedFuture(new JobMarks.Attempt(this.run, null));
		new JobMarks.Start(outcome, CompletableFuture.completedStage(null)).giveUp();
		assertThat(this.takenBack).hasValue(1);
	}

}
