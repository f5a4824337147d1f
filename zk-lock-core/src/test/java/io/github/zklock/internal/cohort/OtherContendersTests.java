package io.github.zklock.internal.cohort;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.junit.jupiter.api.Test;

import io.github.zklock.Handoff;
import io.github.zklock.LockMode;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.spi.Grant;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a cohort learns of those who are queued behind its grant, although that could not
 * be brought to it at first.
 */
class OtherContendersTests implements Grant {

	private final CompletableFuture<Void> contended = new CompletableFuture<>();

	private final CompletableFuture<Boolean> answer = new CompletableFuture<>();

	private final StepFailures failures = new StepFailures();

	private final List<Runnable> later = new ArrayList<>();

	private final CommonSite common = new CommonSite((nanos, step) -> {
		this.later.add(step);
		return () -> {
		};
	}, () -> 0, () -> true, this.failures, 0);

	private final OtherContenders others = new OtherContenders(this,
			new CohortSite(this.common, null, "key", "key", Handoff.DEFAULT, Runnable::run), this::run, (first) -> {
			});

	private boolean failing;

	@Test
	void theAnswerIsBroughtAgain() {
		this.others.look();
		this.failing = true;
		this.answer.complete(false);
		assertThat(this.others.isUnseen()).isTrue();
		goOn();
		assertThat(this.others.isAlone()).isTrue();
	}

	@Test
	void whoHasComeIsReportedAgain() {
		this.others.look();
		this.answer.complete(false);
		this.failing = true;
		this.contended.complete(null);
		assertThat(this.others.isAlone()).isTrue();
		goOn();
		assertThat(this.others.isContended()).isTrue();
	}

	private void goOn() {
		this.failing = false;
		assertThat(this.failures.count()).isOne();
		assertThat(this.later).hasSize(1);
		this.later.get(0).run();
	}

	private void run(Runnable step) {
		if (this.failing) {
			throw new OutOfMemoryError("planted");
		}
		step.run();
	}

	@Override
	public String key() {
		return "key";
	}

	@Override
	public LockMode mode() {
		return LockMode.EXCLUSIVE;
	}

	@Override
	public long firstToken() {
		return TOKENS;
	}

	@Override
	public boolean isValid() {
		return true;
	}

	@Override
	public CompletionStage<Void> whenContended() {
		return this.contended;
	}

	@Override
	public CompletionStage<Boolean> isContended() {
		return this.answer;
	}

	@Override
	public CompletionStage<Void> release() {
		return CompletableFuture.completedFuture(null);
	}

}
