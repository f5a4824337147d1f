package io.github.zklock.sample;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.http.MediaType;
import org.springframework.web.client.RestClient;

import io.github.zklock.sample.shop.Order;
import io.github.zklock.sample.shop.Receipt;
import io.github.zklock.sample.shop.Stock;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("slow")
class TwoInstancesIT {

	private static final int ORDERS_EACH = 20;

	private final ExecutorService buyers = Executors.newFixedThreadPool(2 * ORDERS_EACH);

	private TestingServer server;

	@TempDir
	private Path directory;

	@BeforeEach
	void startServer() throws Exception {
		this.server = new TestingServer();
	}

	@AfterEach
	void stopServer() throws Exception {
		this.buyers.shutdownNow();
		this.server.close();
	}

	@Test
	void twoProcessesThatShareAServerSellNoTicketTwice() throws Exception {
		try (Instance first = start("first", "/shop", "20ms"); Instance second = start("second", "/shop", "20ms")) {
			List<Integer> tickets = sellOut(ORDERS_EACH, first.awaitStarted().client(), second.awaitStarted().client());
			assertThat(tickets).hasSize(2 * ORDERS_EACH).doesNotHaveDuplicates();
			assertThat(stock(first.client())).isEqualTo(new Stock("derby", 2 * ORDERS_EACH, 0, 2 * ORDERS_EACH, 0))
				.isEqualTo(stock(second.client()));
		}
	}

	// The payments are long, so that the two overlap even if one process begins late.
	@Test
	void twoProcessesWhoseLocksAreApartSellTicketsTwice() throws Exception {
		try (Instance first = start("first", "/shop-1", "2s", "--shop.fenced=false");
				Instance second = start("second", "/shop-2", "2s", "--shop.fenced=false")) {
			List<Integer> tickets = sellOut(2, first.awaitStarted().client(), second.awaitStarted().client());
			assertThat(tickets.stream().distinct()).hasSizeLessThan(tickets.size());
			assertThat(stock(first.client()).soldTwice()).isPositive();
		}
	}

	private Instance start(String name, String root, String paymentTime, String... more) throws Exception {
		List<String> arguments = new ArrayList<>(List.of("--zk-lock.connect-string=" + this.server.getConnectString(),
				"--zk-lock.root=" + root, "--spring.profiles.active=shared",
				"--shop.database=" + this.directory.resolve("shop"), "--shop.opening-event=" + name,
				"--shop.payment-time=" + paymentTime, "--shop.lock-timeout=60s"));
		arguments.addAll(List.of(more));
		return Instance.start(this.directory.resolve(name + ".log"), arguments.toArray(String[]::new));
	}

	private List<Integer> sellOut(int ordersEach, RestClient first, RestClient second) throws Exception {
		first.put()
			.uri("/events/derby/stock")
			.contentType(MediaType.APPLICATION_JSON)
			.body(Map.of("capacity", 2 * ordersEach))
			.retrieve()
			.toBodilessEntity();
		List<Callable<Receipt>> orders = new ArrayList<>();
		for (int buyer = 0; buyer < ordersEach; buyer++) {
			orders.add(order(first, "first " + buyer));
			orders.add(order(second, "second " + buyer));
		}
		List<Integer> tickets = new ArrayList<>();
		for (Future<Receipt> receipt : this.buyers.invokeAll(orders)) {
			tickets.addAll(receipt.get().tickets());
		}
		return tickets;
	}

	private static Callable<Receipt> order(RestClient instance, String buyer) {
		return () -> instance.post()
			.uri("/orders")
			.contentType(MediaType.APPLICATION_JSON)
			.body(new Order("derby", buyer, 1))
			.retrieve()
			.body(Receipt.class);
	}

	private static Stock stock(RestClient instance) {
		return instance.get().uri("/events/derby/stock").retrieve().body(Stock.class);
	}

}
