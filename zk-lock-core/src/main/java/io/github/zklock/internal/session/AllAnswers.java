package io.github.zklock.internal.session;

import java.util.function.Consumer;

import org.apache.zookeeper.KeeperException.Code;

import io.github.zklock.internal.concurrent.SerialExecutor;

/*
 * The answers come on ZooKeeper's event thread, or on whatever thread found the handle dead;
 * what they change is confined to a serial executor.
 *
 * I1: `then` runs once, behind the last answer, and sees what was kept of all of them.
 */
/**
 * Waits until each of several requests has been answered.
 */
public final class AllAnswers {

	private final SerialExecutor serialExecutor = new SerialExecutor();

	private final Consumer<Code> then;

	private int missing;

	private Code failure = Code.OK;

	/**
	 * Waits for answers.
	 * @param count how many, at least one
	 * @param then gets OK when all requests did what they were to do, or the code of one
	 * that did not
	 */
	public AllAnswers(int count, Consumer<Code> then) {
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
		this.serialExecutor.execute(() -> {
			keep.run();
			if (code != Code.OK) {
				this.failure = code;
			}
			if (--this.missing == 0) {
				this.then.accept(this.failure);
			}
		});
	}

}
