package io.github.zklock.internal.client;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

import io.github.zklock.LockListener;
import io.github.zklock.LockMode;
import io.github.zklock.LostReason;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.testing.Warnings;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Events on their way to the listeners.
 */
class ListenerDispatcherTests implements LockListener {

	private final Queue<Runnable> tasks = new ArrayDeque<>();

	private final List<Long> seen = new ArrayList<>();

	private final List<Long> asked = new ArrayList<>();

	private final List<Long> ended = new ArrayList<>();

	private boolean refusing;

	private final StepFailures failures = new StepFailures();

	private final ListenerDispatcher dispatcher = new ListenerDispatcher(List.of(this), this::execute, () -> 0,
			this.failures, Integer.MAX_VALUE);

	@Test
	void manyEventsAreDeliveredInTheirOrderByOneTask() {
		bring(1, 50);
		assertThat(this.tasks).hasSize(1);
		runAll();
		assertThat(this.seen).containsExactlyElementsOf(LongStream.rangeClosed(1, 50).boxed().toList());
		bring(51, 51);
		assertThat(this.tasks).hasSize(1);
	}

	@Test
	void aTaskMakesRoomForOthers() {
		bring(1, 250);
		this.tasks.remove().run();
		assertThat(this.seen).hasSize(100);
		assertThat(this.tasks).hasSize(1);
		runAll();
		assertThat(this.seen).hasSize(250).isSorted();
	}

	@Test
	void whatCouldNotBeBroughtIsDeliveredWithTheNext() {
		this.refusing = true;
		bring(1, 1);
		assertThat(this.failures.count()).isOne();
		this.refusing = false;
		bring(2, 2);
		runAll();
		assertThat(this.seen).containsExactly(1L, 2L);
	}

	@Test
	void aListenerThatThrowsKeepsNobodyWaiting() {
		bring(1, 3);
		this.refusing = true;
		runAll();
		this.refusing = false;
		bring(4, 4);
		runAll();
		assertThat(this.seen).containsExactly(1L, 2L, 3L, 4L);
	}

	@Test
	void i1AnAcquisitionThatBeginsWhenTooMuchWaitsIsReportedToNobody() {
		try (Warnings warnings = new Warnings()) {
			ListenerDispatcher small = small(5);
			small.asked(event(1));
			LongStream.rangeClosed(2, 6).forEach((id) -> begin(small, id));
			assertThat(this.asked).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
			begin(small, 7);
			small.asked(event(8));
			small.lost(event(7), LostReason.SESSION_ENDED);
			small.acquired(event(1));
			small.released(event(2));
			assertThat(warnings.except(List.of())).singleElement()
				.asString()
				.contains("5 events of locks wait: the callback executor does not run lock listeners");
			runAll();
			begin(small, 9);
			small.released(event(7));
			small.notAcquired(event(8), new IllegalStateException("planted"));
			small.released(event(9));
			runAll();
			assertThat(this.asked).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 9L);
			assertThat(this.seen).containsExactly(2L, 3L, 4L, 5L, 6L, 1L, 9L);
			assertThat(this.ended).containsExactly(2L, 9L);
			assertThat(warnings.except(List.of())).hasSize(2)
				.last()
				.asString()
				.contains("2 locks were not reported to them");
		}
	}

	@Test
	void i2NoMoreEventsWaitThanTheBoundAndThoseOfWhatHadBegun() {
		try (Warnings warnings = new Warnings()) {
			ListenerDispatcher small = small(10);
			LongStream.rangeClosed(1, 3).forEach((id) -> small.asked(event(id)));
			LongStream.rangeClosed(4, 1000).forEach((id) -> {
				begin(small, id);
				small.released(event(id));
			});
			assertThat(small.waitingCount()).isEqualTo(10);
			LongStream.rangeClosed(1, 3).forEach((id) -> small.acquired(event(id)));
			assertThat(small.waitingCount()).isEqualTo(13);
			assertThat(small.unreportedUnderWay()).as("all have ended").isZero();
			runAll();
			assertThat(small.waitingCount()).isZero();
			assertThat(warnings.except(List.of())).hasSize(2);
		}
	}

	private ListenerDispatcher small(int mostWaiting) {
		return new ListenerDispatcher(List.of(this), this::execute, () -> 0, new StepFailures(), mostWaiting);
	}

	private static void begin(ListenerDispatcher dispatcher, long id) {
		dispatcher.asked(event(id));
		dispatcher.acquired(event(id));
	}

	private static LockListener.Event event(long id) {
		return new LockListener.Event(id, List.of("key"), null, LockMode.EXCLUSIVE, "memory", LockListener.Way.GRANTED,
				Duration.ZERO);
	}

	private void bring(long from, long to) {
		LongStream.rangeClosed(from, to).forEach((id) -> this.dispatcher.acquired(event(id)));
	}

	private void runAll() {
		while (!this.tasks.isEmpty()) {
			this.tasks.remove().run();
		}
	}

	private void execute(Runnable task) {
		if (this.refusing) {
			throw new OutOfMemoryError("planted");
		}
		this.tasks.add(task);
	}

	@Override
	public void asked(Event event) {
		this.asked.add(event.id());
	}

	@Override
	public void released(Event event) {
		this.ended.add(event.id());
	}

	@Override
	public void notAcquired(Event event, Throwable cause) {
		this.ended.add(event.id());
	}

	@Override
	public void lost(Event event, LostReason reason) {
		this.ended.add(event.id());
	}

	@Override
	public void acquired(Event event) {
		this.seen.add(event.id());
		if (this.refusing) {
			throw new NoClassDefFoundError("planted");
		}
	}

}
