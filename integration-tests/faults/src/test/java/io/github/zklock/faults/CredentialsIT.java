package io.github.zklock.faults;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.harness.EnsembleProcesses;
import io.github.zklock.testing.Stopwatch;
import io.github.zklock.testing.Warnings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Case 11: the server comes back and refuses the credentials that it accepted before, so
 * that the client's ZooKeeper handle is dead for good.
 */
@Tag("slow")
@ExtendWith(FaultFixture.NoThreadsLeft.class)
class CredentialsIT {

	private static final Duration SESSION = Duration.ofSeconds(4);

	@Test
	void aClientWhoseCredentialsAreRefusedSaysSoAndGoesOnWhenTheyAreAccepted() throws Exception {
		try (EnsembleProcesses servers = EnsembleProcesses.start(1);
				Arena arena = new Arena(servers);
				Warnings warnings = new Warnings()) {
			CuratorFramework curator = arena.curator(ClientMain.curatorBuilder(servers.connectString(), SESSION)
				.authorization("digest", "owner:secret".getBytes(StandardCharsets.UTF_8)));
			LockClient client = arena.client(curator);
			LockClient other = arena.client(servers.connectString(), Duration.ofSeconds(20));
			List<LockHandle> held = new ArrayList<>();
			List<LockHandle> others = new ArrayList<>();
			List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
			for (LockRequest request : EveryWay.to("held")) {
				held.add(client.acquireAsync(request).get(20, TimeUnit.SECONDS));
			}
			for (LockRequest request : EveryWay.to("wanted")) {
				others.add(other.acquireAsync(request.mode(LockMode.WRITE)).get(20, TimeUnit.SECONDS));
				waiting.add(client.acquireAsync(request));
			}
			servers.servers().get(0).restart("-Dzookeeper.DigestAuthenticationProvider.enabled=false");
			servers.awaitServing();
			await().atMost(SESSION).until(() -> held.stream().noneMatch(LockHandle::isHeld));
			for (CompletableFuture<LockHandle> notified : waiting) {
				assertThat(notified).failsWithin(SESSION.multipliedBy(2))
					.withThrowableOfType(ExecutionException.class)
					.withCauseInstanceOf(LockUnavailableException.class)
					.withMessageContaining("ZooKeeper refused the credentials of this client");
			}
			long latest = 0;
			for (LockRequest request : EveryWay.to("fresh")) {
				LockRequest impatient = request.timeout(Duration.ofMillis(300));
				Stopwatch stopwatch = Stopwatch.start();
				assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> client.acquire(impatient))
					.withMessageContaining("ZooKeeper refused the credentials of this client");
				latest = Math.max(latest, stopwatch.running().minus(impatient.timeout()).toNanos());
			}
			assertThat(Duration.ofNanos(latest)).isLessThan(Duration.ofMillis(250));

			servers.servers().get(0).restart();
			servers.awaitServing();
			long began = System.nanoTime();
			await().atMost(Duration.ofSeconds(20)).until(() -> isGranted(client));
			for (LockRequest request : EveryWay.to("fresh")) {
				client.acquireAsync(request).get(20, TimeUnit.SECONDS).release();
			}
			System.out.println("FIGURES credentials: latest=%dms, locks again after %dms".formatted(
					TimeUnit.NANOSECONDS.toMillis(latest), TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began)));
			assertThat(warnings.messages()).containsOnlyOnce("server refused the credentials of this client");
			held.forEach(LockHandle::release);
			others.forEach(LockHandle::release);
			for (LockRequest request : EveryWay.to("wanted")) {
				client.acquireAsync(request).get(20, TimeUnit.SECONDS).release();
			}
			assertThat(arena.residue(Duration.ofSeconds(10))).isEmpty();
		}
	}

	private static boolean isGranted(LockClient client) throws InterruptedException {
		try (LockHandle handle = client.acquire(LockRequest.exclusive("first"))) {
			return handle.isHeld();
		}
		catch (LockUnavailableException ex) {
			return false;
		}
	}

}
