package io.github.zklock.internal.contender;

import java.util.concurrent.Executor;

/**
 * The rounds of a state machine: with each new intention it begins one, and from then on
 * ignores what was asked for before.
 */
final class Rounds {

	/*-
	 * A step that sends a request, or waits for an event, keeps the number of the round in which it
	 * did so. All is confined to the serial executor that runs the steps.
	 *
	 * I1: a step of a former round does nothing, however late it comes.
	 */

	private final Executor steps;

	private int current;

	/**
	 * Begins the first round.
	 * @param steps runs the steps of the state machine, one at a time
	 */
	Rounds(Executor steps) {
		this.steps = steps;
	}

	int current() {
		return this.current;
	}

	/**
	 * Begins a round.
	 * @return its number
	 */
	int next() {
		return ++this.current;
	}

	/**
	 * Runs a step, unless another round has begun by then.
	 * @param round in which it was asked for
	 * @param step what to do
	 */
	void step(int round, Runnable step) {
		this.steps.execute(() -> {
			if (round == this.current) {
				step.run();
			}
		});
	}

	/**
	 * Returns the present round, for steps that are still to come.
	 * @return runs them, unless another round has begun by then
	 */
	Executor present() {
		int round = this.current;
		return (step) -> step(round, step);
	}

	/**
	 * Binds a step to the present round.
	 * @param step what to do
	 * @return runs the step, unless another round has begun by then
	 */
	Runnable bind(Runnable step) {
		int round = this.current;
		return () -> step(round, step);
	}

}
