package io.github.zklock.faults;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.zookeeper.OpenWork;
import io.github.zklock.zookeeper.ZooKeeperLockClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Case 9: the server's sequence counter is at its end. Creates that come one by one then
 * get the same number again and again; creates that are under way together go on at the
 * smallest number.
 */
@Tag("slow")
class OverflowIT {

	private static final Duration SESSION = Duration.ofSeconds(20);

	@TempDir
	private Path directory;

	private static void setCounter(EmbeddedServer server, String keyNode, int counter) throws Exception {
		server.tree().setCversionPzxid(keyNode, counter, server.tree().lastProcessedZxid);
	}

	private static LockRequest request(LockMode mode, String strategy) {
		return LockRequest.exclusive("k").mode(mode).strategy(strategy).timeout(Duration.ofSeconds(20));
	}

	@ParameterizedTest
	@CsvSource({ "sequential,EXCLUSIVE", "sequential,WRITE", "naive,WRITE" })
	void orderAndExclusionAndTokensHoldWhereTheCounterEnds(String strategy, LockMode mode) throws Exception {
		List<CuratorFramework> curators = new ArrayList<>();
		try (EmbeddedServer server = new EmbeddedServer(this.directory);
				History.Log log = new History.Log(this.directory.resolve("overflow.log"))) {
			List<LockClient> clients = new ArrayList<>();
			for (int i = 0; i < 8; i++) {
				curators.add(ClientMain.curator(server.connectString(), SESSION));
				clients.add(ZooKeeperLockClient.builder(curators.get(i)).root("/o").build());
			}
			try (LockHandle first = clients.get(0).acquire(request(mode, strategy))) {
				setCounter(server, "/o/k", Integer.MAX_VALUE - 4);
				RoundPlan plan = RoundPlan.of(strategy, mode, mode, mode, LockMode.READ)
					.hold(Duration.ofMillis(3))
					.workers(2);
				List<Contention> contentions = new ArrayList<>();
				for (int i = 1; i < clients.size(); i++) {
					contentions.add(new Contention(clients.get(i), plan, log, new FencedStore(this.directory), "c" + i,
							100L * i)
						.start());
				}
				await().atMost(Duration.ofSeconds(10))
					.until(() -> curators.get(0).getChildren().forPath("/o/k").size() >= 8);
				List<String> line = curators.get(0).getChildren().forPath("/o/k");
				assertThat(first.isHeld()).isTrue();
				first.release();
				Path logged = this.directory.resolve("overflow.log");
				await().atMost(Duration.ofSeconds(30))
					.until(() -> History.read(List.of(logged)).sections().size() > 150);
				contentions.forEach(Contention::stop);
				contentions.forEach(Contention::close);
				History history = History.read(List.of(logged, new FencedStore(this.directory).journal()));
				HistoryChecker checker = new HistoryChecker(history);
				System.out.println(
						"FIGURES overflow, %s %s: %s, line at first %s".formatted(strategy, mode, checker.summary(),
								line.stream().map((name) -> name.replaceAll(".*[k_]-?(?=-|\\d{10})", "")).toList()));
				assertThat(checker.violations()).isEmpty();
				assertThat(history.failures()).isEmpty();
				assertThat(history.notes("BROKEN")).isEmpty();
			}
			await().atMost(Duration.ofSeconds(10)).until(() -> clients.stream().mapToInt(OpenWork::of).sum() == 0);
			assertThat(curators.get(0).getChildren().forPath("/o/k")).isEmpty();
			clients.forEach(LockClient::close);
		}
		finally {
			curators.forEach(CuratorFramework::close);
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { Integer.MAX_VALUE - 2, Integer.MAX_VALUE })
	void callersAreServedInTheOrderInWhichTheyCame(int counter) throws Exception {
		List<CuratorFramework> curators = new ArrayList<>();
		try (EmbeddedServer server = new EmbeddedServer(this.directory)) {
			List<LockClient> clients = new ArrayList<>();
			for (int i = 0; i < 6; i++) {
				curators.add(ClientMain.curator(server.connectString(), SESSION));
				clients.add(ZooKeeperLockClient.builder(curators.get(i)).root("/o").build());
			}
			LockRequest request = request(LockMode.EXCLUSIVE, "sequential");
			clients.get(0).acquire(request).releaseAsync().join();
			// A place that is used again stays
			clients.get(0).acquire(request).releaseAsync().join();
			setCounter(server, "/o/k", counter);
			List<CompletableFuture<LockHandle>> line = new ArrayList<>();
			for (LockClient client : clients) {
				line.add(client.acquireAsync(request));
				int size = line.size();
				await().until(() -> curators.get(0).getChildren().forPath("/o/k").size() == size);
			}
			long token = 0;
			for (CompletableFuture<LockHandle> next : line) {
				LockHandle handle = next.get(10, TimeUnit.SECONDS);
				assertThat(line.stream().filter(CompletableFuture::isDone).filter((one) -> one.join().isHeld()))
					.hasSize(1);
				assertThat(handle.fencingToken()).isGreaterThan(token);
				token = handle.fencingToken();
				handle.release();
			}
			clients.forEach(LockClient::close);
		}
		finally {
			curators.forEach(CuratorFramework::close);
		}
	}

}
