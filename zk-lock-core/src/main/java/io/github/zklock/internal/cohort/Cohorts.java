package io.github.zklock.internal.cohort;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.zklock.HandOver;
import io.github.zklock.internal.concurrent.Mailbox;
import io.github.zklock.spi.LockEntry;
import io.github.zklock.spi.LockStrategy;

/*
 * I1: a cohort is in the map exactly while it has turns or stakes: they are counted inside
 *     `compute`, under the map's lock for that key, so that nobody joins a cohort that has
 *     left the map.
 */
/**
 * The cohorts of one client: for each key that somebody here wants, the local callers in
 * their order. Source: Dice, Marathe, Shavit, "Lock Cohorting", PPoPP 2012.
 */
public final class Cohorts {

	private final Map<String, Cohort> cohorts = new ConcurrentHashMap<>();

	private final Cohort.Host host = new Common();

	private final Pause pause;

	private final LongSupplier clock;

	private final Function<String, HandOver> handOver;

	private final BooleanSupplier reachable;

	private final Supplier<? extends Executor> mailboxes;

	private final AtomicBoolean closed = new AtomicBoolean();

	private final CompletableFuture<Void> empty = new CompletableFuture<>();

	/**
	 * Creates an empty set of cohorts.
	 * @param pause starts what is to happen later
	 * @param clock the monotonic clock, in nanoseconds
	 * @param handOver tells how long the cohort of a key may keep a grant for itself
	 * @param reachable whether a server has answered lately, so that what was seen before
	 * may be taken to be still so
	 */
	public Cohorts(Pause pause, LongSupplier clock, Function<String, HandOver> handOver, BooleanSupplier reachable) {
		this(pause, clock, handOver, reachable, Mailbox::new);
	}

	public Cohorts(Pause pause, LongSupplier clock, Function<String, HandOver> handOver, BooleanSupplier reachable,
			Supplier<? extends Executor> mailboxes) {
		this.pause = pause;
		this.clock = clock;
		this.handOver = handOver;
		this.reachable = reachable;
		this.mailboxes = mailboxes;
	}

	/**
	 * Gives up all grants that are only retained, and retains none from now on.
	 * @return completes when their nodes are gone
	 */
	public CompletableFuture<Void> stopRetaining() {
		this.closed.set(true);
		return CompletableFuture
			.allOf(this.cohorts.values().stream().map(Cohort::stopRetaining).toArray(CompletableFuture[]::new));
	}

	/**
	 * Takes a turn. Callers of one key are served first come first served; readers
	 * together, unless another caller stands between them. A grant passes from one to the
	 * next without a request to the servers, within the bounds. An entry for several keys
	 * always has a contender of its own.
	 * @param entry which keys, in which mode
	 * @param strategy runs the contest
	 * @param listener hears what becomes of the turn, possibly before this returns
	 * @return the turn
	 */
	public Turn enter(LockEntry entry, LockStrategy strategy, TurnListener listener) {
		if (entry.keys().size() > 1) {
			boolean overtakes = entry.ifFree() && entry.keys().stream().anyMatch(this::isCrowded);
			return overtakes ? SoloTurn.refuse(entry, listener, this.clock)
					: SoloTurn.enter(entry, strategy, listener, this.clock);
		}
		String key = entry.keys().get(0);
		Cohort joined = this.cohorts.compute(key, (same, known) -> {
			Cohort cohort = (known != null) ? known
					: new Cohort(this.host, same, this.handOver.apply(same), this.mailboxes.get());
			cohort.addTurn();
			return cohort;
		});
		return joined.enter(entry, strategy, listener);
	}

	private boolean isCrowded(String key) {
		Cohort cohort = this.cohorts.get(key);
		return cohort != null && cohort.isCrowded();
	}

	/**
	 * Tells when nobody here wants or holds anything any more. To be called after
	 * {@link #stopRetaining}.
	 * @return completes when there is no cohort
	 */
	public CompletableFuture<Void> whenEmpty() {
		tellIfEmpty();
		return this.empty;
	}

	private void tellIfEmpty() {
		if (this.cohorts.isEmpty()) {
			this.empty.complete(null);
		}
	}

	private static @Nullable Cohort dropTurn(@Nullable Cohort cohort) {
		return (cohort != null && cohort.dropTurn()) ? cohort : null;
	}

	/**
	 * Counts the cohorts.
	 * @return the number of keys that somebody here wants or holds
	 */
	public int count() {
		return this.cohorts.size();
	}

	/** What the cohorts have in common. */
	private final class Common implements Cohort.Host {

		@Override
		public void after(long nanos, Runnable step) {
			Cohorts.this.pause.before(nanos, step);
		}

		@Override
		public long now() {
			return Cohorts.this.clock.getAsLong();
		}

		@Override
		public boolean isReachable() {
			return Cohorts.this.reachable.getAsBoolean();
		}

		@Override
		public boolean isClosed() {
			return Cohorts.this.closed.get();
		}

		@Override
		public void stakeBegan(String key) {
			Cohorts.this.cohorts.computeIfPresent(key, (same, known) -> {
				known.addTurn();
				return known;
			});
		}

		@Override
		public void turnOver(String key) {
			Cohorts.this.cohorts.compute(key, (same, known) -> dropTurn(known));
			if (isClosed()) {
				tellIfEmpty();
			}
		}

	}

	/**
	 * Starts a step some time later.
	 */
	@FunctionalInterface
	public interface Pause {

		/**
		 * Starts a step.
		 * @param nanos in how many nanoseconds
		 * @param step a short step that does not block
		 */
		void before(long nanos, Runnable step);

	}

}
