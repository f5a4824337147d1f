package io.github.zklock.sample.lab;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.stereotype.Service;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockSessionStatus;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.sample.contest.ContestSpec;
import io.github.zklock.sample.contest.Contests;

/**
 * Runs contests for one key, and shows how far they are.
 */
@Service
class Lab {

	private static final Duration PATIENCE = Duration.ofSeconds(2);

	private final Contests contests;

	private final LockClient lockClient;

	private final LockSessionStatus session;

	private final LabKey key;

	private final ObjectProvider<Tools> tools;

	private final Notes notes;

	/** The last contest of each label that went to its end. */
	private final Map<String, RunView> results = new LinkedHashMap<>();

	private @Nullable ContestRun current;

	private boolean open;

	Lab(Contests contests, LockClient lockClient, LockSessionStatus session, LabKey key, ObjectProvider<Tools> tools,
			Notes notes) {
		this.contests = contests;
		this.lockClient = lockClient;
		this.session = session;
		this.key = key;
		this.tools = tools;
		this.notes = notes;
	}

	/**
	 * Starts a contest, which goes on by itself.
	 * @param spec what it is like
	 * @return its id
	 * @throws io.github.zklock.LockTimeoutException if one runs, here or elsewhere
	 * @throws LockUnavailableException if ZooKeeper is away, or the lab is closed
	 * @throws InterruptedException if interrupted; nothing was started
	 */
	String start(ContestSpec spec) throws InterruptedException {
		LockHandle guard = this.lockClient
			.acquire(LockRequest.exclusive(Contests.KEY).timeout(PATIENCE).owner(new Object()));
		String id = Contests.newId();
		boolean started = false;
		try {
			started = start(id, spec, guard);
		}
		finally {
			if (!started) {
				guard.release();
			}
		}
		if (!started) {
			throw new LockUnavailableException("The application is shutting down");
		}
		return id;
	}

	private synchronized boolean start(String id, ContestSpec spec, LockHandle guard) {
		if (!this.open) {
			return false;
		}
		keepResult();
		Tools beside = this.tools.getIfAvailable();
		if (beside == null || beside.areIdle()) {
			this.key.renew();
		}
		String wanted = this.key.inZooKeeper();
		this.notes.add("A contest of %d clients begins: %s".formatted(spec.clients(), RunView.label(spec)));
		ContestRun run = new ContestRun(id, spec, guard,
				(contest, what, progress) -> this.contests.run(contest, this.key.root(), wanted, what, progress),
				this.notes);
		run.start();
		this.current = run;
		return true;
	}

	/**
	 * Cancels the contest, if one runs. Does not wait.
	 */
	synchronized void cancel() {
		if (this.current != null && !this.current.isOver()) {
			this.current.cancel();
		}
	}

	synchronized @Nullable ContestRun current() {
		return this.current;
	}

	synchronized List<RunView> results() {
		keepResult();
		return List.copyOf(this.results.values());
	}

	private void keepResult() {
		RunView result = (this.current != null) ? this.current.result() : null;
		if (result != null) {
			this.results.put(result.label(), result);
		}
	}

	QueueView queue() {
		ContestRun run = current();
		Tools beside = this.tools.getIfAvailable();
		if (run != null && !run.isOver()) {
			return QueueView.of(run.queue());
		}
		return QueueView.of((beside != null) ? beside.queue() : List.of());
	}

	StateView state() {
		Tools beside = this.tools.getIfAvailable();
		return new StateView(StateView.ZooKeeper.of(this.session), (beside != null) ? beside.view() : null,
				this.notes.latest());
	}

	synchronized void open() {
		this.open = true;
	}

	/**
	 * Ends what runs, waits until it has left, and starts nothing more.
	 * @throws InterruptedException if interrupted; it may still be leaving
	 */
	void close() throws InterruptedException {
		ContestRun run;
		synchronized (this) {
			this.open = false;
			run = this.current;
		}
		cancel();
		if (run != null) {
			run.awaitEnd(20);
		}
		Tools beside = this.tools.getIfAvailable();
		if (beside != null) {
			beside.close();
		}
	}

}
