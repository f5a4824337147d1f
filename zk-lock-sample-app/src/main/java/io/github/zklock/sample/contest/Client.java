package io.github.zklock.sample.contest;

import java.util.Optional;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.apache.curator.utils.ZookeeperFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.LockClient;
import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;

/**
 * One client of a contest: connects, waits for the start, goes to the counter once.
 */
final class Client {

	private static final Logger log = LoggerFactory.getLogger(Client.class);

	private static final int PATIENCE_SECONDS = 10;

	private final int number;

	private final String key;

	private final ContestSpec spec;

	private final Counter counter;

	private final ContestProgress progress;

	private @Nullable OwnSession session;

	private @Nullable LockClient locks;

	Client(int number, String key, ContestSpec spec, Counter counter, ContestProgress progress) {
		this.number = number;
		this.key = key;
		this.spec = spec;
		this.counter = counter;
		this.progress = progress;
	}

	void connect(String connectString, String root, ZookeeperFactory handles) throws InterruptedException {
		OwnSession connected = OwnSession.connect(connectString, handles);
		this.session = connected;
		this.locks = connected.lockClient(root, this.spec.strategy(), this.spec.timeout(), "client " + this.number);
		this.progress.connected();
	}

	Visit visit(CyclicBarrier start) throws InterruptedException, BrokenBarrierException, ExecutionException {
		start.await();
		long asked = System.nanoTime();
		this.progress.asked(asked);
		Optional<LockMode> mode = this.spec.mode().lockMode();
		if (this.locks == null || mode.isEmpty()) {
			return serve(asked, 0);
		}
		LockHandle lock;
		try {
			lock = this.locks.acquire(LockRequest.exclusive(this.key).mode(mode.get()));
		}
		catch (LockException ex) {
			long now = System.nanoTime();
			Visit visit = new Visit(this.number, asked, now, now, 0, null, ex.getMessage());
			this.progress.left(visit);
			return visit;
		}
		Visit visit;
		try (lock) {
			visit = serve(asked, lock.fencingToken());
		}
		try {
			lock.releaseAsync().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
		}
		catch (TimeoutException ex) {
			log.debug("No server has confirmed the release of client {}", this.number, ex);
		}
		return visit;
	}

	private Visit serve(long asked, long fencingToken) throws InterruptedException {
		long entered = System.nanoTime();
		int ticket = this.counter.sell(this.number);
		Visit visit = new Visit(this.number, asked, entered, System.nanoTime(), fencingToken, ticket, null);
		this.progress.left(visit);
		return visit;
	}

	void leave() {
		if (this.locks != null) {
			this.locks.close();
		}
		if (this.session != null) {
			this.session.close();
		}
	}

}
