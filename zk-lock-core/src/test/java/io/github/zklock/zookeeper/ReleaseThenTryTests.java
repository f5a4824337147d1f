package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.fixture.HeldAnswers;
import io.github.zklock.fixture.OneTry;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What a client has released is free for the client itself, at once.
 */
@Timeout(60)
class ReleaseThenTryTests {

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	@ParameterizedTest
	@CsvSource({ "sequential, EXCLUSIVE", "sequential, READ", "naive, EXCLUSIVE", "naive, WRITE" })
	void aKeyIsFreeForTheClientThatHasReleasedIt(String strategy, LockMode mode) throws Exception {
		LockClient client = this.zk.client().strategy(strategy).open();
		LockRequest request = LockRequest.exclusive("orders").mode(mode);
		int busy = 0;
		for (int i = 0; i < 300; i++) {
			client.acquire(request).release();
			Optional<LockHandle> again = OneTry.of(client, request);
			busy += again.isEmpty() ? 1 : 0;
			again.ifPresent(LockHandle::release);
		}
		assertThat(busy).isZero();
	}

	// Its node is older than what is deleted without a look
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whatANaiveHolderHasReleasedIsFreeForAnotherKindOfRequest(boolean several) throws Exception {
		LockClient client = this.zk.client().strategy("naive").open();
		LockRequest held = several ? LockRequest.keys(List.of("orders", "stock")) : LockRequest.exclusive("orders");
		for (LockRequest tried : List.of(LockRequest.permits("orders", 5), LockRequest.permits("orders", 3))) {
			LockHandle handle = client.acquire(held);
			TimeUnit.MILLISECONDS.sleep(150);
			handle.release();
			Optional<LockHandle> again = OneTry.of(client, tried);
			assertThat(again).isPresent();
			again.orElseThrow().releaseAsync().join();
		}
	}

	@Test
	void aKeyThatOthersWaitForIsFreeForWhatDoesNotExcludeThem() throws Exception {
		LockClient client = this.zk.client().open();
		LockClient other = this.zk.client().open();
		LockRequest write = LockRequest.write("orders");
		LockRequest read = LockRequest.read("orders");
		// The key node is new, and stays when its lock node is released
		LockHandle held = client.acquire(write);
		CompletableFuture<LockHandle> waiting = other.acquireAsync(read);
		await().until(() -> this.zk.contenders("orders").size() == 2);
		held.release();
		Optional<LockHandle> again = OneTry.of(client, read);
		assertThat(again).isPresent();
		again.orElseThrow().release();
		waiting.get(20, TimeUnit.SECONDS).release();
	}

	@Test
	void whatIsHeldToReadIsFreeForAnotherReaderAlthoughAWriterWasThereBefore() throws Exception {
		LockClient client = this.zk.client().open();
		LockRequest read = LockRequest.read("orders");
		LockHandle writer = this.zk.client().open().acquire(LockRequest.write("orders"));
		CompletableFuture<LockHandle> waiting = client.acquireAsync(read);
		this.zk.awaitWaiting(client, "orders");
		writer.release();
		LockHandle reader = Actor.get(waiting);
		TimeUnit.MILLISECONDS.sleep(300);
		Optional<LockHandle> again = OneTry.of(client, read);
		assertThat(again).isPresent();
		again.orElseThrow().release();
		reader.release();
	}

	@Test
	void aKeyIsFreeForTheClientThatHasCancelled() throws Exception {
		LockClient client = this.zk.client().open();
		LockClient other = this.zk.client().open();
		LockRequest read = LockRequest.read("orders");
		client.acquire(read).release();
		client.acquire(read).release();
		try (LockHandle reader = other.acquire(read)) {
			int busy = 0;
			for (int i = 0; i < 20; i++) {
				client.acquireAsync(LockRequest.write("orders")).cancel(true);
				Optional<LockHandle> again = OneTry.of(client, read);
				busy += again.isEmpty() ? 1 : 0;
				again.ifPresent(LockHandle::release);
			}
			assertThat(busy).isZero();
			assertThat(reader.isHeld()).isTrue();
		}
	}

	@Test
	void aPermitIsFreeForTheClientThatHasCancelled() throws Exception {
		LockClient client = this.zk.client().open();
		LockRequest permit = LockRequest.permits("orders", 5);
		List<LockHandle> others = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			others.add(this.zk.client().open().acquire(permit));
		}
		client.acquire(permit).release();
		int busy = 0;
		for (int i = 0; i < 40; i++) {
			CompletableFuture<LockHandle> cancelled = client.acquireAsync(permit);
			if (!cancelled.cancel(true)) {
				cancelled.join().release();
			}
			Optional<LockHandle> again = OneTry.of(client, permit);
			busy += again.isEmpty() ? 1 : 0;
			again.ifPresent(LockHandle::release);
		}
		assertThat(busy).isZero();
		others.forEach(LockHandle::release);
	}

	@Test
	void whatTheClientHasGivenUpIsNotCalledBusyWhereNoFurtherAnswerComes() throws Exception {
		CuratorFramework curator = this.zk.curator(Duration.ofMinutes(2));
		LockClient client = this.zk.client().curator(curator).open();
		LockRequest read = LockRequest.read("orders");
		try (LockHandle reader = this.zk.client().open().acquire(read)) {
			client.acquire(read).releaseAsync().join();
			ZooKeeper zooKeeper = curator.getZookeeperClient().getZooKeeper();
			try (HeldAnswers first = new HeldAnswers(zooKeeper)) {
				client.acquireAsync(LockRequest.write("orders")).cancel(true);
				long packets = this.zk.packetsAtRest();
				CompletableFuture<Optional<LockHandle>> again = this.zk.actor()
					.call(() -> client.tryAcquire(read.timeout(Duration.ZERO)));
				await().until(() -> this.zk.servers().packetsReceived() > packets);
				try (HeldAnswers further = new HeldAnswers(zooKeeper)) {
					first.close();
					assertThat(again).failsWithin(Actor.PATIENCE)
						.withThrowableThat()
						.withCauseInstanceOf(LockUnavailableException.class);
				}
			}
			assertThat(reader.isHeld()).isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void keysAreFreeForTheClientThatHasHeldThemForLong(String strategy) throws Exception {
		LockClient client = this.zk.client().strategy(strategy).open();
		LockRequest request = LockRequest.keys(List.of("orders", "stock"));
		int busy = 0;
		for (int i = 0; i < 10; i++) {
			LockHandle handle = client.acquire(request);
			TimeUnit.MILLISECONDS.sleep(150);
			handle.release();
			Optional<LockHandle> again = OneTry.of(client, request);
			busy += again.isEmpty() ? 1 : 0;
			again.ifPresent(LockHandle::release);
		}
		assertThat(busy).isZero();
	}

}
