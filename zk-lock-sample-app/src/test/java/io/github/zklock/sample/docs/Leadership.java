package io.github.zklock.sample.docs;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;

// tag::leadership[]
/**
 * Leads while it holds a lock, and stands for election again when it has lost it.
 */
class Leadership implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(Leadership.class);

	private static final LockRequest LEADER = LockRequest.exclusive("leader").timeout(Duration.ofDays(36_500));

	private final LockClient client;

	private final Duty duty;

	private @Nullable CompletableFuture<LockHandle> candidacy;

	private @Nullable LockHandle office;

	private boolean closed;

	Leadership(LockClient client, Duty duty) {
		this.client = client;
		this.duty = duty;
	}

	synchronized void stand() {
		if (!this.closed) {
			this.candidacy = this.client.acquireAsync(LEADER);
			this.candidacy.thenAccept(this::lead).exceptionally((failure) -> {
				log.warn("Not a candidate any more", failure);
				return null;
			});
		}
	}

	private synchronized void lead(LockHandle handle) {
		if (this.closed) {
			handle.release();
			return;
		}
		this.office = handle;
		this.duty.begin(handle.fencingToken());
		handle.onLost(() -> {
			resign();
			stand();
		});
	}

	private synchronized void resign() {
		if (this.office != null) {
			this.duty.end();
			this.office.release();
			this.office = null;
		}
	}

	@Override
	public synchronized void close() {
		this.closed = true;
		if (this.candidacy != null) {
			this.candidacy.cancel(false);
		}
		resign();
	}

	/**
	 * What a leader does, on threads of its own.
	 */
	interface Duty {

		void begin(long fencingToken);

		void end();

	}

}
// end::leadership[]
