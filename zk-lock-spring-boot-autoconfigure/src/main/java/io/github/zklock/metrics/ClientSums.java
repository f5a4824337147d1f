package io.github.zklock.metrics;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;

/**
 * The numbers of all clients that are measured in one registry, added.
 */
final class ClientSums {

	/*-
	 * A registry has one function for a meter and ignores all others, whose clients would not be
	 * measured. So it has a sum here, to which each client adds its source. Sources are referred to
	 * weakly, as Micrometer does. No sum refers to its registry, which would never go otherwise.
	 */

	private static final Map<MeterRegistry, ClientSums> OF_REGISTRIES = new WeakHashMap<>();

	private final Map<LockMeterDocumentation, Map<Tags, Sum>> sums = new ConcurrentHashMap<>();

	private ClientSums() {
	}

	/**
	 * Adds a source to a gauge, for as long as the source is there. One that was added
	 * before is not added again.
	 * @param <T> the type of the source
	 * @param registry where the gauge is
	 * @param meter which gauge
	 * @param tags its tags
	 * @param source who has the number
	 * @param number reads it
	 */
	static <T> void gauge(MeterRegistry registry, LockMeterDocumentation meter, Iterable<Tag> tags, T source,
			ToDoubleFunction<T> number) {
		Sum sum = of(registry, meter, tags);
		sum.add(new Part<>(source, number, false));
		if (isMissing(registry, meter, tags)) {
			Gauge.builder(meter.getName(), sum, Sum::value)
				.description(meter.getDescription())
				.tags(tags)
				.register(registry);
		}
	}

	/**
	 * Adds a source to a counter, which keeps the last number of one that is gone.
	 * @param <T> the type of the source
	 * @param registry where the counter is
	 * @param meter which counter
	 * @param source who has the number
	 * @param number reads it
	 */
	static <T> void count(MeterRegistry registry, LockMeterDocumentation meter, T source, ToDoubleFunction<T> number) {
		Sum sum = of(registry, meter, Tags.empty());
		sum.add(new Part<>(source, number, true));
		if (isMissing(registry, meter, Tags.empty())) {
			FunctionCounter.builder(meter.getName(), sum, Sum::value)
				.description(meter.getDescription())
				.register(registry);
		}
	}

	private static Sum of(MeterRegistry registry, LockMeterDocumentation meter, Iterable<Tag> tags) {
		ClientSums all;
		synchronized (OF_REGISTRIES) {
			all = OF_REGISTRIES.computeIfAbsent(registry, (fresh) -> new ClientSums());
		}
		return all.sums.computeIfAbsent(meter, (fresh) -> new ConcurrentHashMap<>())
			.computeIfAbsent(Tags.of(tags), (fresh) -> new Sum());
	}

	// Micrometer would warn of a second one
	private static boolean isMissing(MeterRegistry registry, LockMeterDocumentation meter, Iterable<Tag> tags) {
		return registry.find(meter.getName()).tags(tags).meter() == null;
	}

	/** The sum of a meter. */
	private static final class Sum {

		private final List<Part<?>> parts = new ArrayList<>();

		private double ofThoseGone;

		synchronized void add(Part<?> part) {
			leaveOutThoseGone();
			if (this.parts.stream().noneMatch(part::hasSourceOf)) {
				this.parts.add(part);
			}
		}

		private void leaveOutThoseGone() {
			List<Part<?>> gone = this.parts.stream().filter(Part::isGone).toList();
			gone.forEach((part) -> this.ofThoseGone += part.last);
			this.parts.removeAll(gone);
		}

		// A source may wait, as for a bean that is being made, so it is read without the
		// lock
		double value() {
			List<Part<?>> present;
			double sum;
			synchronized (this) {
				sum = this.ofThoseGone;
				present = List.copyOf(this.parts);
			}
			for (Part<?> part : present) {
				sum += part.value();
			}
			return sum;
		}

	}

	/** What one client adds. */
	private static final class Part<T> {

		private final WeakReference<T> source;

		private final ToDoubleFunction<T> number;

		private final boolean kept;

		private volatile double last;

		Part(T source, ToDoubleFunction<T> number, boolean kept) {
			this.source = new WeakReference<>(source);
			this.number = number;
			this.kept = kept;
		}

		boolean isGone() {
			return this.source.refersTo(null);
		}

		boolean hasSourceOf(Part<?> other) {
			Object mine = this.source.get();
			return mine != null && mine == other.source.get();
		}

		double value() {
			T present = this.source.get();
			if (present == null) {
				return this.last;
			}
			double now = this.number.applyAsDouble(present);
			this.last = this.kept ? now : 0;
			return now;
		}

	}

}
