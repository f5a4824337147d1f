package io.github.zklock.internal.client;

import java.util.Collection;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.zklock.LockHandle;
import io.github.zklock.WaitingCaller;
import io.github.zklock.internal.concurrent.Timer;

/**
 * Notifies the handles of a client of those who wait for what they hold.
 */
final class ContentionReports implements Contentions {

	private final ContentionSource source;

	private final WaitingByKey waiting;

	private final Executor callbacks;

	private final Timer timer;

	/**
	 * Creates what reports nothing yet.
	 * @param source sees who waits
	 * @param pending what is under way in this client
	 * @param callbacks runs the user's code
	 * @param timer starts the looks
	 */
	ContentionReports(ContentionSource source, Supplier<Collection<Acquisition>> pending, Executor callbacks,
			Timer timer) {
		this.source = source;
		this.waiting = new WaitingByKey(pending, timer);
		this.callbacks = callbacks;
		this.timer = timer;
	}

	ContentionSource source() {
		return this.source;
	}

	WaitingByKey waiting() {
		return this.waiting;
	}

	Executor callbacks() {
		return this.callbacks;
	}

	Timer timer() {
		return this.timer;
	}

	@Override
	public Runnable report(LockHandle handle, Consumer<? super WaitingCaller> action) {
		ContentionReport report = new ContentionReport(this, handle, action);
		report.start();
		return report::end;
	}

}
