package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.LockHandle;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.inspect.JobRun;
import io.github.zklock.internal.client.Holds;
import io.github.zklock.internal.client.JobMarks;
import io.github.zklock.internal.session.LockPaths;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.SessionSource;

/**
 * The marks of jobs in ZooKeeper: a persistent node for each, beside the key nodes, which
 * the servers remove.
 */
final class ZooKeeperJobMarks implements JobMarks {

	/** Of more jobs those are forgotten that were asked for least lately. */
	private static final int MOST_SEEN = 1000;

	private static final Logger log = LoggerFactory.getLogger(ZooKeeperJobMarks.class);

	private static final Duration KEPT = Duration.ofDays(30);

	private static final long TIDY_NANOS = TimeUnit.HOURS.toNanos(1);

	/** So many marks are looked at at once at most. */
	private static final int MOST_TIDIED = 100;

	/**
	 * Names of so many of the longest fit into a packet, which else ends the connection.
	 */
	private static final int MOST_LISTED = 4000;

	private final Map<String, SeenMark> seen = new LinkedHashMap<>(16, 0.75f, true);

	private final AtomicLong tidiedAt = new AtomicLong(Long.MIN_VALUE);

	private final SessionSource source;

	private final Holds holds;

	private final Set<Runnable> starting = ConcurrentHashMap.newKeySet();

	private final Map<String, OwnRun> own = new ConcurrentHashMap<>();

	private @Nullable LockSession latest;

	private volatile boolean closed;

	ZooKeeperJobMarks(SessionSource source, Holds holds) {
		this.source = source;
		this.holds = holds;
	}

	@Override
	@SuppressWarnings("FutureReturnValueIgnored") // only clears up
	public Start start(LockHandle handle, Rule rule, LongSupplier waited, long patience) {
		CompletableFuture<Attempt> outcome = new CompletableFuture<>();
		Future<?> timer = this.source.deadlines()
			.after(patience,
					() -> outcome.completeExceptionally(
							new LockUnavailableException("ZooKeeper gave no answer whether job '%s' is due (servers %s)"
								.formatted(handle.key(), this.source.servers()))));
		Runnable refusal = () -> outcome.completeExceptionally(new LockUnavailableException(
				"Job '%s' was not started: the lock client is closed".formatted(handle.key())));
		this.starting.add(refusal);
		outcome.whenComplete((done, failure) -> {
			this.starting.remove(refusal);
			timer.cancel(false);
		});
		if (this.closed) {
			refusal.run();
		}
		try {
			return new Start(outcome, JobStart.begin(this, handle, rule, () -> rule.age(waited.getAsLong()), outcome,
					this.holds.grantsOf(handle)));
		}
		catch (Throwable ex) {
			outcome.completeExceptionally(ex);
			return new Start(outcome, CompletableFuture.completedStage(null));
		}
	}

	/**
	 * A run is about to be started.
	 * @param run which
	 */
	@SuppressWarnings("FutureReturnValueIgnored") // only clears up
	void add(OwnRun run) {
		this.own.put(run.id(), run);
		run.over().thenRun(() -> this.own.remove(run.id()));
	}

	/**
	 * Finds a run of this client that goes on, or of which it is not known what becomes
	 * of it.
	 * @param id its id
	 * @param session the session of today
	 * @return the run; null if there is none
	 */
	@Nullable OwnRun own(String id, LockSession session) {
		this.own.values().removeIf((run) -> !run.isRunning() && !run.isIn(session));
		return this.own.get(id);
	}

	SessionSource source() {
		return this.source;
	}

	LockPaths paths() {
		return this.source.paths();
	}

	/**
	 * Returns what was seen of a mark.
	 * @param path the mark's path
	 * @param session where it is watched from now on
	 * @return what is remembered, and noted from now on
	 */
	SeenMark seen(String path, LockSession session) {
		SeenMark found;
		synchronized (this.seen) {
			found = this.seen.computeIfAbsent(path, (same) -> new SeenMark(same, this.source.clock()));
			if (this.seen.size() > MOST_SEEN) {
				Iterator<SeenMark> eldest = this.seen.values().iterator();
				eldest.next().leave();
				eldest.remove();
			}
			if (this.closed) {
				found.leave();
			}
			leaveFormer(session);
		}
		found.watchIn(session);
		return found;
	}

	// A session that has ended has all that was watched in it
	private void leaveFormer(LockSession session) {
		if (this.latest != session && session.isLive()) {
			this.latest = session;
			this.seen.values().forEach((mark) -> mark.leaveFormer(session));
		}
	}

	/**
	 * Counts the sessions that marks are watched in, or were.
	 * @return how many are kept
	 */
	int sessionCount() {
		synchronized (this.seen) {
			return (int) this.seen.values().stream().map(SeenMark::session).filter(Objects::nonNull).distinct().count();
		}
	}

	/**
	 * Removes marks of jobs that have not run for long, once an hour at most.
	 * @param session where
	 * @param now the time by the clock of the leader, in milliseconds
	 */
	void tidy(LockSession session, long now) {
		long before = this.tidiedAt.get();
		long clock = this.source.clock().getAsLong();
		if ((before != Long.MIN_VALUE && clock - before < TIDY_NANOS) || !this.tidiedAt.compareAndSet(before, clock)) {
			return;
		}
		session.requests().read(paths().jobs(), null, (code, content, stat) -> {
			if (code != Code.OK || stat == null) {
				return;
			}
			if (stat.getNumChildren() <= MOST_LISTED) {
				tidySome(session, now);
			}
			else {
				log.warn(
						"There are {} marks of jobs below {}, too many to be listed on the locks' connection, so old ones are not removed any more. Give fewer keys to jobs, and remove the old marks by hand",
						stat.getNumChildren(), paths().jobs());
			}
		});
	}

	private void tidySome(LockSession session, long now) {
		session.requests().children(paths().jobs(), null, (code, names, stat) -> {
			if (code == Code.OK && names != null) {
				List<String> some = new ArrayList<>(names);
				Collections.shuffle(some);
				some.stream().limit(MOST_TIDIED).forEach((name) -> tidy(session, paths().jobs() + "/" + name, now));
			}
		});
	}

	// A leader whose clock is far off must not make us forget a run of today
	private void tidy(LockSession session, String path, long now) {
		session.requests().read(path, null, (code, content, stat) -> {
			if (code != Code.OK || stat == null) {
				return;
			}
			JobRun last = OwnRun.parse(content);
			long within = (last != null) ? last.within().toMillis() : 0;
			if (now - stat.getMtime() > KEPT.toMillis() + within && (last == null || !isRecent(path, last))) {
				session.requests().multi(List.of(Op.delete(path, stat.getVersion())), (done, results) -> {
				});
			}
		});
	}

	private boolean isRecent(String path, JobRun last) {
		synchronized (this.seen) {
			SeenMark known = this.seen.get(path);
			return known != null && known.isRecent(last, last.within());
		}
	}

	/**
	 * Counts the marks that are watched in the session of today.
	 * @return how many, for as long as the client is open
	 */
	int watchCount() {
		LockSession current = this.source.current();
		synchronized (this.seen) {
			return (int) this.seen.values().stream().filter((mark) -> mark.isWatchedIn(current)).count();
		}
	}

	/** Nothing is watched any more, and nothing started. */
	void close() {
		synchronized (this.seen) {
			this.closed = true;
			this.seen.values().forEach(SeenMark::leave);
			this.seen.clear();
		}
		// One that begins meanwhile looks at `closed` after it has joined
		this.starting.forEach(Runnable::run);
	}

}
