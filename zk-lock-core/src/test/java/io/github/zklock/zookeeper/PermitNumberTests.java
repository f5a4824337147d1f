package io.github.zklock.zookeeper;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.utils.ZookeeperFactory;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.Handoff;
import io.github.zklock.LockClient;
import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.InVain;
import io.github.zklock.fixture.OneTry;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The callers of one client ask for permits of one key with one number after the other,
 * and what the servers say of a deletion comes late, or never.
 */
@Timeout(60)
@Tag("PermitCohort.I6")
class PermitNumberTests {

	private static final String KEY = "reports";

	private static final Duration LONG = Duration.ofMinutes(1);

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private final HeldDeletions deletions = new HeldDeletions();

	private static LockRequest permit(int permits) {
		return LockRequest.permits(KEY, permits).owner(new Object()).timeout(LONG);
	}

	private LockClient openHoldingDeletions(Handoff handoff) {
		CuratorFramework curator = this.zk.curator(CuratorFrameworkFactory.builder()
			.sessionTimeoutMs((int) LONG.toMillis())
			.zookeeperFactory(this.deletions), this.zk.servers().connectString());
		ZooKeeperFixture.awaitConnected(curator);
		return this.zk.client().curator(curator).with((builder) -> builder.handoff(handoff)).open();
	}

	/** The key is known by then, so that a release deletes one node only. */
	private LockClient openAndUse() throws Exception {
		LockClient client = openHoldingDeletions(Handoff.DEFAULT);
		LockHandle other = this.zk.client().open().acquire(permit(10));
		client.acquire(permit(10)).releaseAsync().join();
		other.releaseAsync().join();
		this.deletions.hold();
		return client;
	}

	@ParameterizedTest
	@CsvSource({ "5, 8", "8, 5", "1, 20", "20, 1" })
	void aPermitThatWasReleasedIsHeldWithItsNumberByNobodyThoughTheDeletionIsNotAnswered(int first, int second)
			throws Exception {
		LockClient client = openAndUse();
		client.acquire(permit(first)).release();
		this.deletions.awaitOne();
		LockHandle next = client.acquire(permit(second));
		assertThat(next.isHeld()).isTrue();
		this.deletions.answer();
		next.releaseAsync().join();
		this.zk.awaitNothingLeftOf(client);
	}

	@Test
	void whoTriesOnceWithAnotherNumberNeedsNoAnswerToTheDeletionEither() throws Exception {
		LockClient client = openAndUse();
		client.acquire(permit(5)).release();
		this.deletions.awaitOne();
		LockHandle next = OneTry.of(client, permit(8)).orElseThrow();
		this.deletions.answer();
		next.releaseAsync().join();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void whoHasGivenUpAwaitsItWithItsNumberNoMore(boolean cancelled) throws Exception {
		LockClient client = openAndUse();
		LockHandle others = this.zk.client().open().acquire(permit(1));
		if (cancelled) {
			CompletableFuture<LockHandle> waiting = client.acquireAsync(permit(5));
			this.zk.awaitWaiting(client, KEY);
			waiting.cancel(true);
		}
		else {
			InVain.of(() -> client.acquire(permit(5).timeout(Duration.ofMillis(500))));
		}
		this.deletions.awaitOne();
		CompletableFuture<LockHandle> next = client.acquireAsync(permit(4));
		await("two contenders").atMost(Actor.PATIENCE).until(() -> this.zk.contenders(KEY).size() == 2);
		assertThat(next).isNotDone();
		others.release();
		LockHandle held = Actor.get(next);
		this.deletions.answer();
		held.releaseAsync().join();
		this.zk.awaitNothingLeftOf(client);
	}

	@Test
	void theDeletionMayBeUnansweredWhenTheSessionEnds() throws Exception {
		LockClient client = openAndUse();
		client.acquire(permit(5)).release();
		this.deletions.awaitOne();
		this.zk.expireSession(client);
		LockHandle next = client.acquire(permit(8));
		assertThat(next.isHeld()).isTrue();
		this.deletions.lose();
		next.releaseAsync().join();
		this.zk.awaitNothingLeftOf(client);
	}

	@Test
	void theAnswerToTheDeletionMayBeLost() throws Exception {
		LockClient client = openAndUse();
		CompletableFuture<Void> released = client.acquire(permit(5)).releaseAsync();
		this.deletions.awaitOne();
		LockHandle next = client.acquire(permit(8));
		assertThat(released).isNotDone();
		this.deletions.lose();
		assertThat(released).succeedsWithin(Actor.PATIENCE);
		assertThatExceptionOfType(LockException.class).isThrownBy(() -> client.acquire(permit(5)))
			.withMessageContaining("with 8 permits");
		next.releaseAsync().join();
		this.zk.awaitNothingLeftOf(client);
	}

	@Test
	void whatIsRetainedWithOneNumberIsHeldOrAwaitedByNobody() throws Exception {
		LockClient client = openHoldingDeletions(new Handoff(64, LONG, LONG));
		List<LockHandle> held = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			held.add(client.acquire(permit(5)));
		}
		held.forEach(LockHandle::release);
		this.deletions.hold();
		CompletableFuture<LockHandle> one = client.acquireAsync(permit(2));
		CompletableFuture<LockHandle> two = client.acquireAsync(permit(2));
		LockHandle first = Actor.get(one);
		LockHandle second = Actor.get(two);
		assertThat(client.tryAcquire(permit(2).timeout(Duration.ZERO))).isEmpty();
		this.deletions.answer();
		first.release();
		second.release();
		client.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void callersInTurnAreNeverRefusedForTheirNumbers(String strategy) throws Exception {
		LockClient client = this.zk.client().strategy(strategy).open();
		LockHandle others = this.zk.client().open().acquire(permit(7));
		List<CompletableFuture<Void>> releases = new ArrayList<>();
		Random random = new Random(11);
		for (int i = 0; i < 300; i++) {
			LockRequest request = permit(2 + random.nextInt(30));
			switch (random.nextInt(4)) {
				case 0 -> giveUp(client.acquireAsync(request));
				case 1 -> OneTry.of(client, request).ifPresent(LockHandle::release);
				case 2 -> releases.add(client.acquire(request).releaseAsync());
				default -> client.acquire(request).release();
			}
		}
		others.release();
		this.zk.awaitNothingLeftOf(client);
		assertThat(releases).allSatisfy((release) -> assertThat(release).succeedsWithin(Actor.PATIENCE));
	}

	private static void giveUp(CompletableFuture<LockHandle> waiting) {
		if (!waiting.cancel(true)) {
			waiting.join().release();
		}
	}

	/** Makes handles that keep what the servers say of deletions. */
	private static final class HeldDeletions implements ZookeeperFactory {

		private final List<Answer> answers = new ArrayList<>();

		private boolean holding;

		@Override
		public ZooKeeper newZooKeeper(String servers, int timeout, Watcher watcher, boolean readOnly)
				throws IOException {
			return new ZooKeeper(servers, timeout, watcher) {

				@Override
				public void delete(String path, int version, AsyncCallback.VoidCallback callback, Object context) {
					super.delete(path, version, (code, same, given) -> {
						if (!keep((how) -> callback.processResult(how, same, given), code)) {
							callback.processResult(code, same, given);
						}
					}, context);
				}

			};
		}

		private synchronized boolean keep(Answer.Callback callback, int code) {
			return this.holding && this.answers.add(new Answer(callback, code));
		}

		synchronized void hold() {
			this.holding = true;
		}

		private synchronized boolean hasOne() {
			return !this.answers.isEmpty();
		}

		void awaitOne() {
			await("an answer to a deletion").atMost(Actor.PATIENCE).until(this::hasOne);
		}

		private synchronized List<Answer> take() {
			this.holding = false;
			List<Answer> taken = List.copyOf(this.answers);
			this.answers.clear();
			return taken;
		}

		void answer() {
			take().forEach((answer) -> answer.callback().processed(answer.code()));
		}

		void lose() {
			take().forEach((answer) -> answer.callback().processed(Code.CONNECTIONLOSS.intValue()));
		}

	}

	/**
	 * What a server has said.
	 *
	 * @param callback awaits it
	 * @param code what was said
	 */
	private record Answer(Callback callback, int code) {

		/** Is given what was said. */
		@FunctionalInterface
		private interface Callback {

			void processed(int code);

		}

	}

}
