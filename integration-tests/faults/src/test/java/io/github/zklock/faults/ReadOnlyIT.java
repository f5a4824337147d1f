package io.github.zklock.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooKeeper.States;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.harness.EnsembleProcesses;
import io.github.zklock.harness.ServerProcess;
import io.github.zklock.testing.Stopwatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Case 11: two of three servers are gone, and the one that is left goes on read-only.
 */
@Tag("slow")
@ExtendWith(FaultFixture.NoThreadsLeft.class)
class ReadOnlyIT {

	private static final Duration SESSION = Duration.ofSeconds(3);

	@Test
	void aReadOnlyServerGrantsNothingAndTheClientGoesOnWhenThereIsAQuorum() throws Exception {
		try (EnsembleProcesses servers = EnsembleProcesses.start(3, "-Dreadonlymode.enabled=true",
				"localSessionsEnabled=true", "localSessionsUpgradingEnabled=true"); Arena arena = new Arena(servers)) {
			CuratorFramework curator = arena
				.curator(ClientMain.curatorBuilder(servers.connectString(), SESSION).canBeReadOnly(true));
			LockClient client = arena.client(curator);
			LockClient strict = arena.client(servers.connectString(), SESSION);
			List<LockHandle> held = new ArrayList<>();
			for (LockRequest request : EveryWay.to("held")) {
				held.add(client.acquireAsync(request).get(20, TimeUnit.SECONDS));
			}
			strict.acquireAsync(LockRequest.exclusive("warm")).get(20, TimeUnit.SECONDS).release();
			servers.followers().forEach(ServerProcess::kill);
			await().atMost(SESSION).until(() -> held.stream().noneMatch(LockHandle::isHeld));
			await().atMost(Duration.ofSeconds(30))
				.until(() -> curator.getZookeeperClient().getZooKeeper().getState() == States.CONNECTEDREADONLY);
			long latest = 0;
			for (LockRequest request : EveryWay.to("fresh")) {
				LockRequest impatient = request.timeout(Duration.ofMillis(300));
				latest = Math.max(latest, untilReadOnlyIsSaid(client, impatient));
				assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> strict.acquire(impatient.timeout(Duration.ofMillis(50))))
					.withMessageContaining("ZooKeeper gave no answer");
				assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> client.acquire(impatient.timeout(Duration.ZERO)));
			}
			assertThat(Duration.ofNanos(latest)).isLessThan(Duration.ofMillis(250));
			CompletableFuture<LockHandle> patient = client.acquireAsync(EveryWay.to("patient").get(0));
			System.out.println("FIGURES read-only: latest=%dms, the server says it is %s".formatted(
					TimeUnit.NANOSECONDS.toMillis(latest),
					servers.servers().stream().map(ServerProcess::role).toList()));

			servers.mend();
			patient.get(30, TimeUnit.SECONDS).release();
			for (LockRequest request : EveryWay.to("held")) {
				LockHandle lost = held.remove(0);
				try (LockHandle next = strict.acquireAsync(request.mode(LockMode.WRITE)).get(20, TimeUnit.SECONDS)) {
					assertThat(next.fencingToken()).isGreaterThan(lost.fencingToken());
				}
				lost.release();
			}
			assertThat(arena.residue(Duration.ofSeconds(20))).isEmpty();
		}
	}

	// A read-only server may refuse a write before it has answered an earlier read. Then
	// ZooKeeper's client says "Xid out of order" and closes the connection, and who waits
	// at that time hears that there was no answer. It is not served either.
	private static long untilReadOnlyIsSaid(LockClient client, LockRequest impatient) {
		AtomicLong latest = new AtomicLong();
		await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
			Stopwatch stopwatch = Stopwatch.start();
			Throwable refusal = catchThrowable(() -> client.acquire(impatient));
			latest.accumulateAndGet(stopwatch.running().minus(impatient.timeout()).toNanos(), Math::max);
			if (!(refusal instanceof LockUnavailableException)) {
				throw new IllegalStateException("Unavailable it should be, but is: " + refusal, refusal);
			}
			assertThat(refusal).hasMessageContaining("the ZooKeeper server is read-only");
		});
		return latest.get();
	}

}
