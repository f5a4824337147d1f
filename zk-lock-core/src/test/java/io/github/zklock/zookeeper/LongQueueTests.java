package io.github.zklock.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.apache.curator.framework.imps.DefaultACLProvider;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.testing.Actor;
import io.github.zklock.testing.TestServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A queue that is long is not listed at each change: who leaves it as the first says so.
 */
@Timeout(120)
@Tag("ReleaseNotes.I1")
@Tag("ReleaseNotes.I2")
class LongQueueTests {

	private static final String KEY = "orders";

	private static final Duration LONG_SESSION = Duration.ofMinutes(5);

	/** The last eight see more than 16 nodes. */
	private static final int WAITERS = 23;

	@AutoClose
	private static final TestServers server = TestServers.startOne();

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.on(() -> server);

	private final List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();

	private LockClient open() {
		return this.zk.client().session(LONG_SESSION).open();
	}

	private LockHandle holdAndQueue(LockMode mode, List<LockClient> clients) throws Exception {
		LockRequest request = LockRequest.exclusive(KEY).mode(mode).timeout(Duration.ofMinutes(1));
		LockHandle first = clients.get(0).acquire(request);
		for (LockClient client : clients.subList(1, clients.size())) {
			this.waiting.add(client.acquireAsync(request));
			await().until(() -> this.zk.contenders(KEY).size() == this.waiting.size() + 1);
		}
		// Those who know that each holds for long watch two
		await().until(() -> this.zk.watchers(KEY) >= this.waiting.size());
		return first;
	}

	private List<LockClient> clients() {
		List<LockClient> clients = new ArrayList<>();
		for (int i = 0; i <= WAITERS; i++) {
			clients.add(open());
		}
		return clients;
	}

	// Each when the one before it has released, and nobody else
	private void drain(LockHandle first, int from) throws Exception {
		first.releaseAsync().join();
		for (int i = from; i < this.waiting.size(); i++) {
			CompletableFuture<LockHandle> next = this.waiting.get(i);
			if (!next.isCancelled()) {
				LockHandle handle = Actor.get(next);
				assertThat(this.waiting.subList(i + 1, this.waiting.size()))
					.noneMatch((later) -> later.isDone() && !later.isCancelled());
				assertThat(handle.isHeld()).isTrue();
				handle.releaseAsync().join();
			}
		}
		await().until(() -> this.zk.contenders(KEY).isEmpty());
	}

	private List<String> names() throws Exception {
		return this.zk.curator(LONG_SESSION)
			.getChildren()
			.forPath(this.zk.keyNode(KEY))
			.stream()
			.sorted(Comparator.comparing((name) -> name.substring(name.length() - 10)))
			.toList();
	}

	private String note() throws Exception {
		return new String(this.zk.curator(LONG_SESSION).getData().forPath(this.zk.keyNode(KEY)),
				StandardCharsets.UTF_8);
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "WRITE" })
	void theLastEightAreGrantedTheLockWithoutAList(LockMode mode) throws Exception {
		LockHandle first = holdAndQueue(mode, clients());
		String last = names().get(WAITERS);
		long packets = this.zk.packetsAtRest();
		long zxid = server.zxid();
		drain(first, 0);
		assertThat(this.zk.packetsAtRest() - packets)
			.as("24 deletes, one that was to take the key node along, 15 lists, a note that was not found and a list,"
					+ " 7 notes and looks whether the own node is there")
			.isEqualTo(25 + 15 + 2 + 14);
		assertThat(server.zxid() - zxid).as("one transaction each, and the refused one").isEqualTo(25);
		assertThat(note()).contains(last);
	}

	@Test
	void whoGivesUpLeavesNoNoteAndNobodyPassesThoseBeforeIt() throws Exception {
		LockHandle first = holdAndQueue(LockMode.EXCLUSIVE, clients());
		this.waiting.get(19).cancel(false);
		await().until(() -> this.zk.contenders(KEY).size() == WAITERS);
		await().until(() -> this.zk.watchers(KEY) == WAITERS - 1);
		assertThat(this.waiting).filteredOn(CompletableFuture::isDone).hasSize(1);
		drain(first, 0);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 20 })
	@Tag("ReleaseNotes.I3")
	void dataOfAStrangerAreNotReplaced(int writtenBehind) throws Exception {
		LockHandle held = holdAndQueue(LockMode.EXCLUSIVE, clients());
		byte[] data = "a stranger's".getBytes(StandardCharsets.UTF_8);
		for (int i = 0; i < writtenBehind; i++) {
			held.releaseAsync().join();
			held = Actor.get(this.waiting.get(i));
		}
		this.zk.curator(LONG_SESSION).setData().forPath(this.zk.keyNode(KEY), data);
		drain(held, writtenBehind);
		assertThat(this.zk.curator(LONG_SESSION).getData().forPath(this.zk.keyNode(KEY))).isEqualTo(data);
	}

	@Test
	void aNodeThatIsDeletedByOthersLeavesNoNote() throws Exception {
		this.zk.announce("was lost: its node was deleted");
		LockHandle first = holdAndQueue(LockMode.EXCLUSIVE, clients());
		String before = names().get(21);
		this.zk.curator(LONG_SESSION).delete().forPath(this.zk.keyNode(KEY) + "/" + before);
		await().until(() -> this.zk.contenders(KEY).size() == WAITERS && this.zk.watchers(KEY) == WAITERS);
		assertThat(this.waiting).noneMatch(CompletableFuture::isDone);
		first.releaseAsync().join();
		for (CompletableFuture<LockHandle> next : this.waiting) {
			LockHandle handle = Actor.get(next);
			if (next == this.waiting.get(20)) {
				// Granted by the note of the one before, and then found to be gone
				await().until(() -> !handle.isHeld());
			}
			handle.release();
		}
		await().until(() -> this.zk.contenders(KEY).isEmpty());
	}

	@Test
	void whereTheKeyNodeTakesNoDataTheQueueIsListed() throws Exception {
		DefaultACLProvider withoutWriting = new DefaultACLProvider() {

			@Override
			public List<ACL> getAclForPath(String path) {
				return path.endsWith("/" + KEY) ? List.of(new ACL(Perms.ALL & ~Perms.WRITE, Ids.ANYONE_ID_UNSAFE))
						: Ids.OPEN_ACL_UNSAFE;
			}

		};
		List<LockClient> clients = clients();
		clients.set(0,
				this.zk.client().session(LONG_SESSION).with((builder) -> builder.aclProvider(withoutWriting)).open());
		LockHandle first = holdAndQueue(LockMode.EXCLUSIVE, clients);
		long zxid = this.zk.zxidAtRest();
		drain(first, 0);
		assertThat(note()).doesNotContain("released");
		long transactions = server.zxid() - zxid;
		this.waiting.clear();
		first = holdAndQueue(LockMode.EXCLUSIVE, clients);
		zxid = this.zk.zxidAtRest();
		drain(first, 0);
		assertThat(server.zxid() - zxid).as("what was refused is not tried again")
			.isEqualTo(WAITERS + 1)
			.isLessThan(transactions);
	}

}
