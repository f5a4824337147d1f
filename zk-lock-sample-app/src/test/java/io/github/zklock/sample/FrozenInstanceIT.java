package io.github.zklock.sample;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.client.RestClient;

import io.github.zklock.sample.shop.Order;
import io.github.zklock.sample.shop.Stock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A process that is stopped in the middle of a sale, for longer than its session lasts.
 */
@Tag("slow")
class FrozenInstanceIT {

	private static final Duration LIMIT = Duration.ofMinutes(2);

	private static final int TICK_MILLIS = 500;

	@TempDir
	private Path directory;

	@Test
	void theDatabaseRefusesWhatItWritesWhenItThaws() throws Exception {
		try (TestingServer server = new TestingServer(new InstanceSpec(null, -1, -1, -1, true, -1, TICK_MILLIS, -1),
				true);
				CuratorFramework curator = CuratorFrameworkFactory.newClient(server.getConnectString(),
						new RetryOneTime(100));
				Connection database = DriverManager.getConnection(database() + ";AUTO_SERVER=TRUE", "", "");
				Instance frozen = start("frozen", server, "3s");
				Instance other = start("other", server, "0s")) {
			assertThat(database.isValid(0)).as("this process serves the database to both").isTrue();
			curator.start();
			RestClient shop = other.awaitStarted().client();
			open(shop);
			RestClient slowShop = frozen.awaitStarted().client();
			CompletableFuture<ResponseEntity<ProblemDetail>> late = CompletableFuture
				.supplyAsync(() -> order(slowShop, "ada"));
			await("the sale has its lock").atMost(LIMIT)
				.ignoreExceptions()
				.until(() -> hasContender(curator, "frozen"));
			frozen.signal("STOP");
			try {
				assertThat(order(shop, "bob").getStatusCode()).isEqualTo(HttpStatus.CREATED);
			}
			finally {
				frozen.signal("CONT");
			}
			ResponseEntity<ProblemDetail> answer = late.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
			assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.CONFLICT);
			assertThat(answer.getBody().getType()).hasToString("urn:zk-lock:sample:late");
			assertThat(stock(shop)).isEqualTo(new Stock("derby", 10, 9, 1, 0));
		}
	}

	private Instance start(String name, TestingServer server, String paymentTime) throws Exception {
		return Instance.start(this.directory.resolve(name + ".log"),
				"--zk-lock.connect-string=" + server.getConnectString(), "--zk-lock.session-timeout=4s",
				"--zk-lock.instance=" + name, "--spring.datasource.url=" + database() + ";AUTO_SERVER=TRUE",
				"--shop.opening-event=" + name, "--shop.payment-time=" + paymentTime, "--shop.lock-timeout=60s");
	}

	private String database() {
		return "jdbc:h2:file:" + this.directory.resolve("shop");
	}

	private static void open(RestClient shop) {
		shop.put()
			.uri("/events/derby/stock")
			.contentType(MediaType.APPLICATION_JSON)
			.body(Map.of("capacity", 10))
			.retrieve()
			.toBodilessEntity();
	}

	private static ResponseEntity<ProblemDetail> order(RestClient shop, String buyer) {
		return shop.post()
			.uri("/orders")
			.contentType(MediaType.APPLICATION_JSON)
			.body(new Order("derby", buyer, 1))
			.retrieve()
			.onStatus((status) -> true, (request, response) -> {
			})
			.toEntity(ProblemDetail.class);
	}

	private static Stock stock(RestClient shop) {
		return shop.get().uri("/events/derby/stock").retrieve().body(Stock.class);
	}

	private static boolean hasContender(CuratorFramework curator, String instance) throws Exception {
		for (String place : curator.getChildren().forPath("/zk-lock")) {
			for (String node : curator.getChildren().forPath("/zk-lock/" + place)) {
				byte[] identity = curator.getData().forPath("/zk-lock/" + place + "/" + node);
				if (place.contains("derby") && new String(identity, StandardCharsets.UTF_8).contains(instance)) {
					return true;
				}
			}
		}
		return false;
	}

}
