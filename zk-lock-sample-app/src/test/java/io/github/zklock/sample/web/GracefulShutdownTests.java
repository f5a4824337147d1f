package io.github.zklock.sample.web;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.MediaType;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;

import io.github.zklock.LeaderElection;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockListener;
import io.github.zklock.LockRequest;
import io.github.zklock.LostReason;
import io.github.zklock.sample.SampleApplication;
import io.github.zklock.sample.shop.Order;
import io.github.zklock.sample.shop.Receipt;
import io.github.zklock.zookeeper.ZooKeeperLockClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class GracefulShutdownTests {

	private static final LockRequest EVENT = LockRequest.exclusive("event:concert");

	private final List<String> heard = new CopyOnWriteArrayList<>();

	@Test
	@Tag("slow")
	void anOrderThatIsUnderWayIsServedUnderItsLockBeforeTheApplicationLetsGoOfIt() throws Exception {
		try (TestingServer server = new TestingServer();
				CuratorFramework curator = CuratorFrameworkFactory.newClient(server.getConnectString(),
						new RetryOneTime(100));
				ConfigurableApplicationContext application = start(server.getConnectString())) {
			curator.start();
			assertThat(curator.blockUntilConnected(20, TimeUnit.SECONDS)).isTrue();
			try (LockClient other = ZooKeeperLockClient.builder(curator).build()) {
				RestClient shop = RestClient
					.create("http://localhost:" + application.getEnvironment().getProperty("local.server.port"));
				CompletableFuture<Receipt> order = CompletableFuture.supplyAsync(() -> order(shop));
				// The first pair is the opening of the shop
				await().atMost(Duration.ofSeconds(20)).until(() -> this.heard.size() > 2);
				CompletableFuture<LockHandle> next = other.acquireAsync(EVENT.timeout(Duration.ofSeconds(20)));
				application.close();
				await().atMost(Duration.ofSeconds(10))
					.untilAsserted(() -> assertThat(this.heard).containsExactly("acquired", "released", "acquired",
							"released"));
				next.get(10, TimeUnit.SECONDS).release();
				// Tomcat may close the connection before its client has the answer
				assertThat(order).satisfiesAnyOf((served) -> assertThat(served).succeedsWithin(Duration.ofSeconds(10)),
						(cut) -> assertThat(cut).failsWithin(Duration.ofSeconds(10))
							.withThrowableOfType(ExecutionException.class)
							.withCauseInstanceOf(ResourceAccessException.class));
				assertThatExceptionOfType(ResourceAccessException.class).isThrownBy(() -> order(shop));
			}
		}
	}

	private ConfigurableApplicationContext start(String connectString) {
		return new SpringApplicationBuilder(SampleApplication.class)
			.initializers((context) -> context.getBeanFactory().registerSingleton("recorder", new Recorder()))
			.run("--server.port=0", "--zk-lock.connect-string=" + connectString, "--shop.payment-time=1s",
					"--spring.datasource.url=jdbc:h2:mem:graceful");
	}

	private static Receipt order(RestClient shop) {
		return shop.post()
			.uri("/orders")
			.contentType(MediaType.APPLICATION_JSON)
			.body(new Order("concert", "ada", 1))
			.retrieve()
			.body(Receipt.class);
	}

	private final class Recorder implements LockListener {

		@Override
		public void acquired(Event event) {
			hear(event, "acquired");
		}

		@Override
		public void released(Event event) {
			hear(event, "released");
		}

		@Override
		public void lost(Event event, LostReason reason) {
			hear(event, "lost");
		}

		private void hear(Event event, String what) {
			if (!event.keys().contains(LeaderElection.key("heartbeat"))) {
				GracefulShutdownTests.this.heard.add(what);
			}
		}

	}

}
