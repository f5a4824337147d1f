package io.github.zklock.internal.session;

import java.util.function.Consumer;

import org.apache.zookeeper.KeeperException.Code;

import io.github.zklock.internal.concurrent.OwnedSteps;
import io.github.zklock.internal.concurrent.SerialExecutor;
import io.github.zklock.internal.concurrent.StepFailures;

/**
 * Waits until each of several requests has been answered.
 */
public final class AllAnswers {

	/*-
	 * The answers come on ZooKeeper's event thread, or on whatever thread found the handle dead;
	 * what they change is confined to a serial executor.
	 *
	 * I1: `then` runs once, after the last answer, and sees what was kept of all of them. If an
	 *     answer could not be kept, or `then` itself fails, it gets SYSTEMERROR at once.
	 */

	private final OwnedSteps steps;

	private final Consumer<Code> then;

	private int missing;

	private Code failure = Code.OK;

	private boolean over;

	/**
	 * Waits for answers.
	 * @param failures is notified of each step that fails
	 * @param count how many, at least one
	 * @param then gets OK when all requests did what they were to do, or the code of one
	 * that did not
	 */
	public AllAnswers(StepFailures failures, int count, Consumer<Code> then) {
		this.steps = new SerialExecutor(failures).of(this, (failure) -> failed());
		this.missing = count;
		this.then = then;
	}

	/**
	 * An answer came.
	 * @param code what it says; OK if the request did what it was to do
	 * @param keep keeps what the answer says; not run together with that of another
	 * answer
	 */
	public void answered(Code code, Runnable keep) {
		this.steps.execute(() -> {
			keep.run();
			if (code != Code.OK) {
				this.failure = code;
			}
			if (--this.missing == 0 && !this.over) {
				this.then.accept(this.failure);
				this.over = true;
			}
		});
	}

	private void failed() {
		if (!this.over) {
			this.over = true;
			this.then.accept(Code.SYSTEMERROR);
		}
	}

}
