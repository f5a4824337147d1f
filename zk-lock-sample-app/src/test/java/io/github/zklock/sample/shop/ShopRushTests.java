package io.github.zklock.sample.shop;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest(properties = "shop.lock-timeout=30s")
class ShopRushTests {

	private static final int BUYERS = 40;

	@Autowired
	private TicketShop shop;

	@Test
	void manyBuyersAtOnceGetDifferentTickets() throws Exception {
		this.shop.replaceStock("rush", BUYERS);
		ExecutorService buyers = Executors.newFixedThreadPool(BUYERS);
		try {
			List<Callable<Receipt>> orders = IntStream.range(0, BUYERS)
				.<Callable<Receipt>>mapToObj((buyer) -> () -> this.shop.order(new Order("rush", "buyer " + buyer, 1)))
				.toList();
			List<Integer> tickets = new ArrayList<>();
			for (Future<Receipt> receipt : buyers.invokeAll(orders)) {
				tickets.addAll(receipt.get().tickets());
			}
			assertThat(tickets).hasSize(BUYERS).doesNotHaveDuplicates();
			assertThat(this.shop.stock("rush")).isEqualTo(new Stock("rush", BUYERS, 0, BUYERS, 0));
		}
		finally {
			buyers.shutdownNow();
		}
	}

}
