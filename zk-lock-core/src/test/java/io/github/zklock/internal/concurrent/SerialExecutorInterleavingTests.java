package io.github.zklock.internal.concurrent;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.fixture.Interleavings;
import io.github.zklock.fixture.Interleavings.Scenario;

/**
 * Steps that several threads bring at once.
 */
@Tag("interleavings")
class SerialExecutorInterleavingTests {

	@Test
	void i1i2StepsRunOneAtATimeInOrderAndNoneIsForgotten() {
		Interleavings.explore(Kept.class);
	}

	@Test
	void i5StepsThatAreLeftToAnotherThreadRunOneAtATimeInOrderToo() {
		Interleavings.explore(LeftToAnother.class);
	}

	@Test
	void canaryASerialExecutorThatForgetsIsFound() {
		Interleavings.findRace(Forgotten.class, "a step was forgotten");
	}

	@Test
	void canaryASerialExecutorThatRunsTwoAtOnceIsFound() {
		Interleavings.findRace(Crowded.class, "two steps at once");
	}

	@Test
	void canaryAScenarioThatCannotBePreparedIsFound() {
		Interleavings.findRace(Unprepared.class, "planted");
	}

	/** Would find nothing, whatever its threads do. */
	public static class Unprepared extends Kept {

		@Override
		public void prepare() {
			super.prepare();
			throw new IllegalStateException("planted");
		}

	}

	/** Three threads, one of which brings two steps, one a step that brings another. */
	public abstract static class Steps extends Scenario {

		private Executor serialExecutor;

		private int inside;

		private int ran;

		private boolean firstRan;

		private String wrong;

		abstract Executor newSerialExecutor();

		@Override
		public void prepare() {
			this.serialExecutor = newSerialExecutor();
		}

		@Operation
		public void bringOne() {
			this.serialExecutor.execute(() -> step(() -> {
			}));
		}

		@Operation
		public void bringTwo() {
			this.serialExecutor.execute(() -> step(() -> this.firstRan = true));
			this.serialExecutor.execute(() -> step(() -> note(this.firstRan, "the second ran before the first")));
		}

		@Operation
		public void bringOneThatBringsAnother() {
			this.serialExecutor.execute(() -> step(() -> this.serialExecutor.execute(() -> step(() -> {
			}))));
		}

		private void step(Runnable content) {
			note(++this.inside == 1, "two steps at once");
			content.run();
			this.ran++;
			this.inside--;
		}

		private void note(boolean so, String otherwise) {
			if (!so) {
				this.wrong = otherwise;
			}
		}

		@Override
		public void verify() {
			Interleavings.check(this.wrong == null, this.wrong);
			Interleavings.check(this.ran == 5, "a step was forgotten");
		}

	}

	/** The real one. */
	public static class Kept extends Steps {

		@Override
		Executor newSerialExecutor() {
			return new SerialExecutor(new StepFailures());
		}

	}

	/**
	 * The real one, when each step but the first of a drain is left to another thread.
	 */
	public static class LeftToAnother extends Steps {

		private final Queue<Runnable> left = new ConcurrentLinkedQueue<>();

		@Override
		Executor newSerialExecutor() {
			return new SerialExecutor(new StepFailures(), 1, this.left::add);
		}

		@Operation
		public void goOn() {
			Runnable drain = this.left.poll();
			if (drain != null) {
				drain.run();
			}
		}

		@Override
		public void verify() {
			while (!this.left.isEmpty()) {
				goOn();
			}
			super.verify();
		}

	}

	/** Looks at the queue a last time before it says that it is not looking any more. */
	public static class Forgotten extends Steps {

		@Override
		Executor newSerialExecutor() {
			return new Executor() {

				private final Queue<Runnable> steps = new ConcurrentLinkedQueue<>();

				private final AtomicBoolean draining = new AtomicBoolean();

				@Override
				public void execute(Runnable step) {
					this.steps.add(step);
					if (this.draining.compareAndSet(false, true)) {
						for (Runnable next = this.steps.poll(); next != null; next = this.steps.poll()) {
							next.run();
						}
						this.draining.set(false);
					}
				}

			};
		}

	}

	/** Runs what it gets. */
	public static class Crowded extends Steps {

		@Override
		Executor newSerialExecutor() {
			return Runnable::run;
		}

	}

}
