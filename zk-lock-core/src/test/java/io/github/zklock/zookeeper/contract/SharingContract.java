package io.github.zklock.zookeeper.contract;

import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who shares with whom, and in what order.
 */
interface SharingContract extends LockContract {

	@Test
	default void readersOfTwoClientsShareOneKey() throws Exception {
		try (LockHandle one = open().acquire(request(LockMode.READ));
				LockHandle two = open().acquire(request(LockMode.READ))) {
			assertThat(one.isHeld()).isTrue();
			assertThat(two.isHeld()).isTrue();
		}
	}

	@Test
	default void readersOfOneClientShareOneKey() throws Exception {
		LockClient client = open();
		try (LockHandle one = client.acquire(request(LockMode.READ));
				LockHandle two = fixture().actor().get(() -> client.acquire(request(LockMode.READ)))) {
			assertThat(one.isHeld()).isTrue();
			assertThat(two.isHeld()).isTrue();
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "WRITE" })
	default void aWriterWaitsForTheLastOfTheReaders(LockMode mode) throws Exception {
		LockHandle one = open().acquire(request(LockMode.READ));
		LockHandle two = open().acquire(request(LockMode.READ));
		LockClient writer = open();
		CompletableFuture<LockHandle> waiting = writer.acquireAsync(request(mode));
		fixture().awaitWaiting(writer, KEY);
		two.releaseAsync().join();
		fixture().awaitWaiting(writer, KEY);
		assertThat(waiting).isNotDone();
		assertThat(one.isHeld()).isTrue();
		one.release();
		LockHandle handle = Actor.get(waiting);
		assertThat(handle.isHeld()).isTrue();
		handle.release();
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "WRITE" })
	default void allReadersBehindAWriterComeInTogether(LockMode mode) throws Exception {
		LockHandle writer = open().acquire(request(mode));
		LockClient one = open();
		LockClient two = open();
		CompletableFuture<LockHandle> first = one.acquireAsync(request(LockMode.READ));
		CompletableFuture<LockHandle> second = two.acquireAsync(request(LockMode.READ));
		fixture().awaitWaiting(one, KEY);
		fixture().awaitWaiting(two, KEY);
		assertThat(first).isNotDone();
		assertThat(second).isNotDone();
		writer.release();
		LockHandle firstHandle = Actor.get(first);
		LockHandle secondHandle = Actor.get(second);
		assertThat(firstHandle.isHeld()).isTrue();
		assertThat(secondHandle.isHeld()).isTrue();
		firstHandle.release();
		secondHandle.release();
	}

	@Test
	default void aReaderIsQueuedBehindAWriterThatWaits() throws Exception {
		LockHandle reader = open().acquire(request(LockMode.READ));
		LockClient writer = open();
		CompletableFuture<LockHandle> writing = writer.acquireAsync(request(LockMode.WRITE));
		fixture().awaitWaiting(writer, KEY);
		LockClient late = open();
		CompletableFuture<LockHandle> reading = late.acquireAsync(request(LockMode.READ));
		fixture().awaitWaiting(late, KEY);
		assertThat(reading).isNotDone();
		reader.release();
		LockHandle written = Actor.get(writing);
		assertThat(reading).isNotDone();
		written.release();
		Actor.get(reading).release();
	}

	@Test
	default void aReaderGoesOnWhenTheWriterBeforeItGivesUp() throws Exception {
		LockHandle reader = open().acquire(request(LockMode.READ));
		LockClient writer = open();
		CompletableFuture<LockHandle> writing = writer.acquireAsync(request(LockMode.WRITE));
		fixture().awaitWaiting(writer, KEY);
		LockClient late = open();
		CompletableFuture<LockHandle> reading = late.acquireAsync(request(LockMode.READ));
		fixture().awaitWaiting(late, KEY);
		writing.cancel(false);
		LockHandle handle = Actor.get(reading);
		assertThat(reader.isHeld()).isTrue();
		assertThat(handle.isHeld()).isTrue();
		handle.release();
		reader.release();
	}

}
