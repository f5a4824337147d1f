package io.github.zklock.internal.cohort;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;

import io.github.zklock.Handoff;
import io.github.zklock.internal.concurrent.StepFailures;

/**
 * The clock, the timers, the steps and the requests of cohorts, which go on when a test
 * lets them.
 */
final class PlayedEngine {

	final StepFailures failures = new StepFailures();

	private final Deque<Runnable> steps = new ArrayDeque<>();

	private final Queue<Runnable> requests = new ArrayDeque<>();

	private final List<Pending> timers = new ArrayList<>();

	private long now;

	private boolean stepping;

	Cohorts cohorts(Handoff handoff, int maxRetained) {
		return new Cohorts((nanos, step) -> {
			Pending timer = new Pending(this.now + nanos, step);
			this.timers.add(timer);
			return () -> this.timers.remove(timer);
		}, () -> this.now, (key) -> handoff, () -> true, this.failures, maxRetained, () -> this.steps::add);
	}

	long now() {
		return this.now;
	}

	void request(Runnable atTheServers) {
		this.requests.add(atTheServers);
	}

	void handle(int most) {
		for (int i = 0; i < most && !this.requests.isEmpty(); i++) {
			this.requests.remove().run();
		}
	}

	void runSteps() {
		runSteps(Integer.MAX_VALUE);
	}

	void runSteps(int most) {
		if (!this.stepping) {
			this.stepping = true;
			for (int i = 0; i < most && !this.steps.isEmpty(); i++) {
				this.steps.remove().run();
			}
			this.stepping = false;
		}
	}

	void pass(long nanos) {
		this.now += nanos;
		for (Pending timer : List.copyOf(this.timers)) {
			if (timer.at() - this.now <= 0 && this.timers.remove(timer)) {
				timer.step().run();
			}
		}
	}

	/**
	 * A step that is due later.
	 *
	 * @param at when
	 * @param step the step
	 */
	private record Pending(long at, Runnable step) {

	}

}
