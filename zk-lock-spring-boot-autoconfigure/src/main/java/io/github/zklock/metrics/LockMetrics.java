package io.github.zklock.metrics;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;

import io.github.zklock.LeaderElection;
import io.github.zklock.LockListener;
import io.github.zklock.LockSessionStatus;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.LostReason;
import io.github.zklock.metrics.LockMeterDocumentation.Tag;

/**
 * Counts and times the locks of one client. What is counted is named in
 * {@link LockMeterDocumentation}; clients with one registry are counted together.
 *
 * @since 0.1.0
 */
public final class LockMetrics implements LockListener {

	/*-
	 * All meters of a key's template are made by its first event, so that a counter is seen at
	 * zero before it counts: a monitoring system does not see the first loss as an increase if
	 * the series begins with it. The first event may be of any thread; the map makes them once.
	 */

	private final MeterRegistry registry;

	// Its sum in the registry refers to it weakly
	@SuppressWarnings("unused")
	private final Object source;

	private final Map<List<?>, KeyMeters> keys = new ConcurrentHashMap<>();

	/**
	 * Creates the meters of a client's session; those of its locks are made when they are
	 * used.
	 * @param registry where the meters are
	 * @param session the client's session
	 */
	public LockMetrics(MeterRegistry registry, LockSessionStatus session) {
		this(registry, session, (given) -> given);
	}

	/**
	 * Creates the meters of a client's session, which need not be there yet.
	 * @param registry where the meters are
	 * @param session gives the client's session, the same each time; called when a meter
	 * of it is read
	 */
	public LockMetrics(MeterRegistry registry, Supplier<? extends LockSessionStatus> session) {
		this(registry, session, Supplier::get);
	}

	private <T> LockMetrics(MeterRegistry registry, T source, Function<T, LockSessionStatus> session) {
		this.registry = registry;
		this.source = source;
		ClientSums.count(registry, LockMeterDocumentation.WATCH_EVENTS, source,
				(given) -> session.apply(given).watchEvents());
		ClientSums.count(registry, LockMeterDocumentation.LEFTOVERS_REMOVED, source,
				(given) -> session.apply(given).leftoversRemoved());
		ClientSums.count(registry, LockMeterDocumentation.ENGINE_FAILURES, source,
				(given) -> session.apply(given).engineFailures());
	}

	/**
	 * Adds an election to the gauge that says whether this instance leads. Those of one
	 * name in one registry, as of several contexts, are added up.
	 * @param registry where the gauge is
	 * @param election the election, measured for as long as it is there
	 */
	public static void measure(MeterRegistry registry, LeaderElection election) {
		ClientSums.gauge(registry, LockMeterDocumentation.LEADER, Tags.of(Tag.ELECTION.asString(), election.name()),
				election, (one) -> one.isLeader() ? 1 : 0);
	}

	@Override
	public void asked(Event event) {
		meters(event).waiters.incrementAndGet();
	}

	@Override
	public void acquired(Event event) {
		KeyMeters meters = meters(event);
		meters.ended(event, (event.way() == Way.REENTERED) ? Outcome.REENTERED : Outcome.ACQUIRED);
		meters.holders.incrementAndGet();
		if (event.way() == Way.HANDED_OVER) {
			meters.handedOver.increment();
		}
	}

	@Override
	public void notAcquired(Event event, Throwable cause) {
		meters(event).ended(event, Outcome.of(cause));
	}

	@Override
	public void released(Event event) {
		KeyMeters meters = meters(event);
		meters.holders.decrementAndGet();
		meters.held.record(event.elapsed());
	}

	@Override
	public void lost(Event event, LostReason reason) {
		Objects.requireNonNull(meters(event).lost.get(reason)).increment();
	}

	private KeyMeters meters(Event event) {
		String given = event.template();
		String template = (given != null && !given.isEmpty()) ? given : "none";
		// Not by their tags, which are sorted when they are made: each lock asks three
		// times
		return this.keys.computeIfAbsent(List.of(template, event.strategy(), event.mode()),
				(fresh) -> new KeyMeters(this.registry, Tags.of(Tag.KEY.asString(), template, Tag.STRATEGY.asString(),
						event.strategy(), Tag.MODE.asString(), event.mode().name())));
	}

	/** How asking for a lock ended. */
	private enum Outcome {

		ACQUIRED, REENTERED, BUSY, UNAVAILABLE, INTERRUPTED, CANCELLED, FAILED;

		String tag() {
			return name().toLowerCase(Locale.ROOT);
		}

		static Outcome of(Throwable cause) {
			if (cause instanceof LockTimeoutException) {
				return BUSY;
			}
			if (cause instanceof LockUnavailableException) {
				return UNAVAILABLE;
			}
			if (cause instanceof InterruptedException) {
				return INTERRUPTED;
			}
			return (cause instanceof CancellationException) ? CANCELLED : FAILED;
		}

	}

	/** The meters of one template, strategy and mode. */
	private static final class KeyMeters {

		private final AtomicLong waiters;

		private final AtomicLong holders;

		private final Map<Outcome, Timer> ends;

		private final Timer held;

		private final Map<LostReason, Counter> lost;

		private final Counter handedOver;

		KeyMeters(MeterRegistry registry, Tags tags) {
			this.waiters = gauge(registry, LockMeterDocumentation.WAITERS, tags);
			this.holders = gauge(registry, LockMeterDocumentation.HOLDERS, tags);
			this.ends = each(Outcome.values(), (outcome) -> timer(registry, LockMeterDocumentation.ACQUIRE,
					tags.and(Tag.OUTCOME.asString(), outcome.tag())));
			this.held = timer(registry, LockMeterDocumentation.HELD, tags);
			this.lost = each(LostReason.values(), (reason) -> counter(registry, LockMeterDocumentation.LOST,
					tags.and(Tag.REASON.asString(), reason.name())));
			this.handedOver = counter(registry, LockMeterDocumentation.HANDED_OVER, tags);
		}

		void ended(Event event, Outcome outcome) {
			this.waiters.decrementAndGet();
			Objects.requireNonNull(this.ends.get(outcome)).record(event.elapsed());
		}

		private static <K, M> Map<K, M> each(K[] keys, Function<K, M> meter) {
			return Arrays.stream(keys).collect(Collectors.toUnmodifiableMap(Function.identity(), meter));
		}

		private static AtomicLong gauge(MeterRegistry registry, LockMeterDocumentation meter, Tags tags) {
			AtomicLong number = new AtomicLong();
			ClientSums.gauge(registry, meter, tags, number, AtomicLong::get);
			return number;
		}

		// Micrometer before 1.16 has no methods for Tags.
		private static Timer timer(MeterRegistry registry, LockMeterDocumentation meter,
				Iterable<io.micrometer.core.instrument.Tag> tags) {
			return Timer.builder(meter.getName()).description(meter.getDescription()).tags(tags).register(registry);
		}

		private static Counter counter(MeterRegistry registry, LockMeterDocumentation meter,
				Iterable<io.micrometer.core.instrument.Tag> tags) {
			return Counter.builder(meter.getName()).description(meter.getDescription()).tags(tags).register(registry);
		}

	}

}
