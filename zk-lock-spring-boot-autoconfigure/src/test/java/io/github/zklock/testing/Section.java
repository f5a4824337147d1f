package io.github.zklock.testing;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;

/**
 * What a lock guards. The counter and the largest token are plain fields on purpose: only
 * the lock under test makes them safe.
 */
public final class Section {

	private final AtomicInteger writers = new AtomicInteger();

	private final AtomicInteger readers = new AtomicInteger();

	private final AtomicInteger entered = new AtomicInteger();

	private final AtomicInteger written = new AtomicInteger();

	private final AtomicInteger mostReaders = new AtomicInteger();

	private final Queue<String> violations = new ConcurrentLinkedQueue<>();

	private int counter;

	private long largestToken;

	/**
	 * Goes in and comes out, as a reader or as a writer.
	 * @param handle the handle under which it is done
	 */
	public void enter(LockHandle handle) {
		this.entered.incrementAndGet();
		if (handle.mode() == LockMode.READ) {
			read(handle);
		}
		else {
			write(handle);
		}
	}

	private void write(LockHandle handle) {
		if (this.writers.incrementAndGet() != 1 || this.readers.get() != 0) {
			violated("%d writers and %d readers at once".formatted(this.writers.get(), this.readers.get()));
		}
		long token = handle.fencingToken();
		if (token <= this.largestToken) {
			violated("token %d after %d".formatted(token, this.largestToken));
		}
		this.largestToken = Math.max(token, this.largestToken);
		int value = this.counter;
		linger();
		this.counter = value + 1;
		this.written.incrementAndGet();
		checkHeld(handle);
		this.writers.decrementAndGet();
	}

	private void read(LockHandle handle) {
		int now = this.readers.incrementAndGet();
		this.mostReaders.accumulateAndGet(now, Math::max);
		if (this.writers.get() != 0) {
			violated("%d writers and %d readers at once".formatted(this.writers.get(), now));
		}
		if (handle.fencingToken() <= this.largestToken) {
			violated("reader's token %d after writer's %d".formatted(handle.fencingToken(), this.largestToken));
		}
		int value = this.counter;
		linger();
		if (this.counter != value) {
			violated("a writer changed %d to %d under a reader".formatted(value, this.counter));
		}
		checkHeld(handle);
		this.readers.decrementAndGet();
	}

	private void checkHeld(LockHandle handle) {
		if (!handle.isHeld()) {
			violated("%s of '%s' was not held at the end".formatted(handle.mode(), handle.key()));
		}
	}

	private static void linger() {
		LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(300));
	}

	private void violated(String line) {
		this.violations.add(line);
	}

	/**
	 * Returns how often it was entered.
	 * @return the number
	 */
	public int entered() {
		return this.entered.get();
	}

	/**
	 * Returns the largest number of readers that were in it together.
	 * @return the number
	 */
	public int mostReaders() {
		return this.mostReaders.get();
	}

	/**
	 * Returns what went wrong; to be asked when all have come out.
	 * @return a line for each violation, empty if the lock kept its word
	 */
	public List<String> violations() {
		int lost = this.written.get() - this.counter;
		if (lost != 0) {
			violated("%d of %d updates lost".formatted(lost, this.written.get()));
		}
		return List.copyOf(this.violations);
	}

}
