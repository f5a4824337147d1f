package io.github.zklock.memory;

import java.lang.reflect.Field;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.github.zklock.LockMode;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.WaitingCaller;
import io.github.zklock.fixture.NobodyListens;
import io.github.zklock.inspect.HolderNote;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.node.ClientIdentity;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.LockAttempt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * One handle that is asked to let go, between its looks.
 */
@Timeout(20)
class QueueLooksTests {

	private static final String KEY = "orders";

	private final KeyQueues queues = KeyQueues.of("/" + UUID.randomUUID(), 0);

	private final MemoryLockStrategy strategy = strategy();

	private final QueueLooks looks = new QueueLooks(this.strategy, KEY);

	private Contender holder;

	@BeforeEach
	void hold() {
		this.holder = enter(this.strategy);
		this.looks.look(LockMode.EXCLUSIVE, QueueLooksTests::ignore);
	}

	private MemoryLockStrategy strategy() {
		return new MemoryLockStrategy(this.queues,
				new ClientIdentity("test", "test-1", "localhost", 1, InstantSource.system()), new StepFailures(),
				System::nanoTime);
	}

	private static Contender enter(MemoryLockStrategy strategy) {
		return strategy.enter(new LockAttempt(List.of(KEY), LockMode.EXCLUSIVE, false, "test"), new NobodyListens());
	}

	private static void ignore(List<WaitingCaller> found) {
	}

	private List<MemoryAsk> ask() {
		return this.queues.ask(() -> this.queues.askHolders(KEY, "1", "why", this.strategy.identity())).join();
	}

	@Test
	void whoLeavesBeforeItsNextLookHasNoticed() {
		List<MemoryAsk> asked = ask();
		assertThat(asked).extracting(MemoryAsk::noticed).hasSize(1).noneMatch(CompletableFuture::isDone);
		this.looks.leave();
		assertThat(MemoryAsk.awaitNotice(asked)).hasSize(1).allMatch(HolderNote::noticed);
	}

	@Test
	void whoReleasesBeforeItsNextLookHasNoticed() {
		List<MemoryAsk> asked = ask();
		this.holder.leave();
		assertThat(asked).extracting(MemoryAsk::noticed).hasSize(1).allMatch(CompletableFuture::isDone);
	}

	@Test
	void whoIsInterruptedWhileItAsksStaysSo() {
		List<MemoryAsk> asked = ask();
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> MemoryAsk.awaitNotice(asked));
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void whoIsGoneIsNotKnownAnyMore() throws ReflectiveOperationException {
		Contender waiting = enter(strategy());
		assertThat(known()).hasSize(1);
		waiting.leave();
		assertThat(known()).isEmpty();
	}

	private Set<?> known() throws ReflectiveOperationException {
		this.looks.look(LockMode.EXCLUSIVE, QueueLooksTests::ignore);
		Field known = QueueLooks.class.getDeclaredField("known");
		known.setAccessible(true);
		return (Set<?>) known.get(this.looks);
	}

}
