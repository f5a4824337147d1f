package io.github.zklock.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.harness.EnsembleProcesses;
import io.github.zklock.harness.FaultProxy;
import io.github.zklock.harness.ServerMain;
import io.github.zklock.harness.ServerProcess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Case 9: a session moves to a server that has not yet applied its own create or delete.
 * That server takes the session, because the client has heard of nothing later.
 */
@Tag("slow")
@ExtendWith(FaultFixture.NoThreadsLeft.class)
class LaggingServerIT {

	private static final Duration SESSION = Duration.ofSeconds(6);

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final List<LockRequest> REQUESTS = EveryWay.to("k");

	private static EnsembleProcesses servers;

	private Arena arena;

	private ServerProcess ahead;

	private ServerProcess behind;

	private FaultProxy proxy;

	// A session for each request, because a session's requests wait for each other
	private List<CuratorFramework> sessions;

	private List<LockClient> unlucky;

	private List<LockClient> others;

	private ZooKeeper observer;

	@BeforeAll
	static void startServers() {
		servers = EnsembleProcesses.start(3, ServerMain.MAY_LAG);
	}

	@AfterAll
	static void stopServers() {
		servers.close();
	}

	@BeforeEach
	void open() {
		this.ahead = servers.followers().get(0);
		this.behind = servers.followers().get(1);
		this.arena = new Arena(servers);
		this.proxy = new FaultProxy(this.ahead.clientAddress());
		this.sessions = REQUESTS.stream()
			.map((request) -> this.arena.curator(this.proxy.connectString(), SESSION))
			.toList();
		this.unlucky = this.sessions.stream().map(this.arena::client).toList();
		LockClient other = this.arena.client(servers.leader().connectString(), SESSION);
		this.others = Collections.nCopies(REQUESTS.size(), other);
		this.observer = EnsembleProcesses.connect(servers.leader().connectString());
	}

	@AfterEach
	void close() throws InterruptedException {
		this.behind.catchUp();
		this.observer.close();
		try (FaultProxy toServers = this.proxy; Arena clients = this.arena) {
			toServers.heal();
			assertThat(clients.residue(Duration.ofSeconds(20))).as("left behind").isEmpty();
		}
	}

	// A place that is used again stays
	private void warmUp() throws Exception {
		for (int i = 0; i < 2; i++) {
			for (LockHandle handle : granted(ask(this.unlucky, UnaryOperator.identity()))) {
				handle.releaseAsync().join();
			}
		}
		awaitSameZxids();
	}

	private static void awaitSameZxids() {
		await().atMost(PATIENCE)
			.until(() -> servers.servers().stream().mapToLong(ServerProcess::zxid).distinct().count() == 1);
	}

	// From now on the clients hear of nothing, and the other server learns of nothing
	private void deafen() {
		this.proxy.hold(FaultProxy.Direction.TO_CLIENT);
		this.behind.lagBehind();
	}

	private void moveSessions() throws Exception {
		connectBehind();
		assertThat(this.behind.zxid()).isLessThan(this.ahead.zxid());
	}

	private void connectBehind() throws Exception {
		List<String> ids = new ArrayList<>();
		for (CuratorFramework session : this.sessions) {
			ids.add("0x" + Long.toHexString(session.getZookeeperClient().getZooKeeper().getSessionId()));
		}
		this.proxy.leadTo(this.behind.clientAddress());
		this.proxy.refuse();
		this.proxy.heal();
		await("the sessions are at the server that lags behind").atMost(PATIENCE)
			.until(() -> ids.stream().allMatch(this.behind.ask("cons")::contains));
	}

	private List<String> contenders() throws KeeperException, InterruptedException {
		List<String> contenders = new ArrayList<>();
		for (String path : ZKUtil.listSubTreeBFS(this.observer, this.arena.root())) {
			Stat stat = this.observer.exists(path, false);
			if (stat != null && stat.getEphemeralOwner() != 0) {
				contenders.add(path);
			}
		}
		return contenders;
	}

	// A node that goes while the tree is walked ends the walk
	private void awaitContenders(int number) {
		await().atMost(PATIENCE)
			.ignoreException(KeeperException.NoNodeException.class)
			.until(() -> contenders().size() == number);
	}

	private void assertThatAllStay(List<String> contenders) {
		await().during(Duration.ofMillis(700)).atMost(PATIENCE).until(() -> contenders().equals(contenders));
	}

	private static List<CompletableFuture<LockHandle>> ask(List<LockClient> clients,
			UnaryOperator<LockRequest> change) {
		return IntStream.range(0, REQUESTS.size())
			.mapToObj((i) -> clients.get(i).acquireAsync(change.apply(REQUESTS.get(i))))
			.toList();
	}

	private static List<LockHandle> granted(List<CompletableFuture<LockHandle>> waiting) throws Exception {
		List<LockHandle> handles = new ArrayList<>();
		for (CompletableFuture<LockHandle> one : waiting) {
			handles.add(one.get(10, TimeUnit.SECONDS));
		}
		return handles;
	}

	@Test
	void whoseCreateIsNotYetSeenThereMakesNoSecondNode() throws Exception {
		warmUp();
		deafen();
		List<CompletableFuture<LockHandle>> waiting = ask(this.unlucky, UnaryOperator.identity());
		awaitContenders(REQUESTS.size());
		List<String> contenders = contenders();
		moveSessions();
		assertThatAllStay(contenders);
		assertThat(waiting).noneMatch(CompletableFuture::isDone);
		this.behind.catchUp();
		List<LockHandle> handles = granted(waiting);
		assertThat(handles).allMatch(LockHandle::isHeld);
		assertThat(contenders()).isEqualTo(contenders);
		handles.forEach(LockHandle::release);
	}

	@Test
	void whoseDeleteIsNotYetSeenThereDeletesNobodyElsesNode() throws Exception {
		warmUp();
		int tries = 0;
		while (!movesBehindDeletes()) {
			assertThat(++tries).as("times that a session has heard of a delete too early").isLessThan(4);
			this.proxy.leadTo(this.ahead.clientAddress());
			this.proxy.refuse();
			this.proxy.heal();
		}
	}

	// A session whose beat was answered behind another one's delete is refused by the
	// server that lags behind
	private boolean movesBehindDeletes() throws Exception {
		List<LockHandle> handles = granted(ask(this.unlucky, UnaryOperator.identity()));
		awaitSameZxids();
		// Who has no number looks at its node before deleting it
		this.proxy.holdAnswers(LockRequestTypes.DELETIONS);
		this.behind.lagBehind();
		List<CompletableFuture<Void>> released = handles.stream().map(LockHandle::releaseAsync).toList();
		awaitContenders(0);
		List<LockHandle> next = granted(ask(this.others, LaggingServerIT::toWrite));
		List<String> contenders = contenders();
		assertThat(contenders).hasSize(REQUESTS.size());
		boolean moved = areMoved();
		if (moved) {
			assertThatAllStay(contenders);
			assertThat(released).noneMatch(CompletableFuture::isDone);
		}
		this.behind.catchUp();
		CompletableFuture.allOf(released.toArray(CompletableFuture<?>[]::new)).get(10, TimeUnit.SECONDS);
		assertThatAllStay(contenders);
		assertThat(next).allMatch(LockHandle::isHeld);
		for (LockHandle held : next) {
			held.releaseAsync().get(10, TimeUnit.SECONDS);
		}
		return moved;
	}

	private boolean areMoved() throws Exception {
		try {
			moveSessions();
			return true;
		}
		catch (ConditionTimeoutException ex) {
			return false;
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void whoTriesOnceThereIsNeverGrantedWhatOthersHold(boolean catchesUpMeanwhile) throws Exception {
		warmUp();
		connectBehind();
		warmUp();
		this.behind.lagBehind();
		List<LockHandle> held = granted(ask(this.others, LaggingServerIT::toWrite));
		List<String> holders = contenders();
		List<CompletableFuture<LockHandle>> tries = ask(this.unlucky, (request) -> request.timeout(Duration.ZERO));
		if (catchesUpMeanwhile) {
			this.behind.catchUp();
		}
		for (CompletableFuture<LockHandle> one : tries) {
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> one.get(10, TimeUnit.SECONDS))
				.withCauseInstanceOf(LockException.class);
		}
		if (!catchesUpMeanwhile) {
			assertThat(contenders()).as("of those to whom their keys looked free, too").hasSizeGreaterThan(held.size());
		}
		this.behind.catchUp();
		awaitContenders(held.size());
		assertThat(contenders()).isEqualTo(holders);
		assertThat(held).allMatch(LockHandle::isHeld);
		held.forEach(LockHandle::release);
	}

	private static LockRequest toWrite(LockRequest request) {
		return request.mode().isShared() ? request.mode(LockMode.WRITE) : request;
	}

	@Test
	void whoGivesUpThereIsDeletedAlthoughItsCreateIsNotYetSeen() throws Exception {
		warmUp();
		deafen();
		List<CompletableFuture<LockHandle>> waiting = ask(this.unlucky, UnaryOperator.identity());
		awaitContenders(REQUESTS.size());
		moveSessions();
		waiting.forEach((one) -> one.cancel(false));
		this.behind.catchUp();
		awaitContenders(0);
	}

}
