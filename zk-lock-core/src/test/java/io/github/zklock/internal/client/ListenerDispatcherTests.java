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
import io.github.zklock.internal.concurrent.StepFailures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Events on their way to the listeners.
 */
class ListenerDispatcherTests implements LockListener {

	private final Queue<Runnable> tasks = new ArrayDeque<>();

	private final List<Long> seen = new ArrayList<>();

	private boolean refusing;

	private final ListenerDispatcher dispatcher = new ListenerDispatcher(List.of(this), this::execute, () -> 0,
			new StepFailures());

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
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> bring(1, 1));
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

	private void bring(long from, long to) {
		LongStream.rangeClosed(from, to)
			.forEach((id) -> this.dispatcher.acquired(new LockListener.Event(id, List.of("key"), null,
					LockMode.EXCLUSIVE, "memory", LockListener.Way.GRANTED, Duration.ZERO)));
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
	public void acquired(Event event) {
		this.seen.add(event.id());
		if (this.refusing) {
			throw new NoClassDefFoundError("planted");
		}
	}

}
