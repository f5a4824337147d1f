package io.github.zklock.metrics;

import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;

import io.github.zklock.LockListener;
import io.github.zklock.LockSessionStatus;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.LostReason;
import io.github.zklock.metrics.LockMeterDocumentation.Tag;

/**
 * Counts and times the locks of one client. What is counted is named in
 * {@link LockMeterDocumentation}.
 *
 * @since 0.1.0
 */
public final class LockMetrics implements LockListener {

	private final MeterRegistry registry;

	private final Map<Tags, AtomicLong> waiters = new ConcurrentHashMap<>();

	private final Map<Tags, AtomicLong> holders = new ConcurrentHashMap<>();

	/**
	 * Creates the meters of a client's session; those of its locks are made when they are
	 * used.
	 * @param registry where the meters are
	 * @param session the client's session
	 */
	public LockMetrics(MeterRegistry registry, LockSessionStatus session) {
		this.registry = registry;
		count(LockMeterDocumentation.WATCH_EVENTS, session, LockSessionStatus::watchEvents);
		count(LockMeterDocumentation.LEFTOVERS_REMOVED, session, LockSessionStatus::leftoversRemoved);
		count(LockMeterDocumentation.ENGINE_FAILURES, session, LockSessionStatus::engineFailures);
	}

	private void count(LockMeterDocumentation meter, LockSessionStatus session,
			ToDoubleFunction<LockSessionStatus> number) {
		FunctionCounter.builder(meter.getName(), session, number).register(this.registry);
	}

	@Override
	public void asked(Event event) {
		gauge(this.waiters, LockMeterDocumentation.WAITERS, tags(event)).incrementAndGet();
	}

	@Override
	public void acquired(Event event) {
		Tags tags = tags(event);
		ended(event, tags, (event.way() == Way.REENTERED) ? "reentered" : "acquired");
		gauge(this.holders, LockMeterDocumentation.HOLDERS, tags).incrementAndGet();
		if (event.way() == Way.HANDED_OVER) {
			counter(LockMeterDocumentation.HANDED_OVER, tags).increment();
		}
	}

	@Override
	public void notAcquired(Event event, Throwable cause) {
		ended(event, tags(event), outcome(cause));
	}

	private void ended(Event event, Tags tags, String outcome) {
		gauge(this.waiters, LockMeterDocumentation.WAITERS, tags).decrementAndGet();
		timer(LockMeterDocumentation.ACQUIRE, tags.and(Tag.OUTCOME.asString(), outcome)).record(event.elapsed());
	}

	@Override
	public void released(Event event) {
		Tags tags = tags(event);
		gauge(this.holders, LockMeterDocumentation.HOLDERS, tags).decrementAndGet();
		timer(LockMeterDocumentation.HELD, tags).record(event.elapsed());
	}

	@Override
	public void lost(Event event, LostReason reason) {
		counter(LockMeterDocumentation.LOST, tags(event).and(Tag.REASON.asString(), reason.name())).increment();
	}

	private static Tags tags(Event event) {
		String template = event.template();
		return Tags.of(Tag.KEY.asString(), (template != null && !template.isEmpty()) ? template : "none",
				Tag.STRATEGY.asString(), event.strategy(), Tag.MODE.asString(), event.mode().name());
	}

	private static String outcome(Throwable cause) {
		if (cause instanceof LockTimeoutException) {
			return "busy";
		}
		if (cause instanceof LockUnavailableException) {
			return "unavailable";
		}
		if (cause instanceof InterruptedException) {
			return "interrupted";
		}
		return (cause instanceof CancellationException) ? "cancelled" : "failed";
	}

	private AtomicLong gauge(Map<Tags, AtomicLong> known, LockMeterDocumentation meter, Tags tags) {
		return known.computeIfAbsent(tags, (fresh) -> {
			AtomicLong number = new AtomicLong();
			Gauge.builder(meter.getName(), number, AtomicLong::get).tags(fresh).register(this.registry);
			return number;
		});
	}

	// Micrometer before 1.16 has no methods for Tags.
	private Timer timer(LockMeterDocumentation meter, Iterable<io.micrometer.core.instrument.Tag> tags) {
		return this.registry.timer(meter.getName(), tags);
	}

	private Counter counter(LockMeterDocumentation meter, Iterable<io.micrometer.core.instrument.Tag> tags) {
		return this.registry.counter(meter.getName(), tags);
	}

}
