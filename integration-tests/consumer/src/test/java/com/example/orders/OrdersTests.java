package com.example.orders;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest(properties = { "spring.main.banner-mode=off", "zk-lock.embedded.enabled=true" })
class OrdersTests {

	@Autowired
	private Orders orders;

	@Test
	void lockedMethodHasATokenThatGrows() {
		long first = this.orders.ship("17");
		assertThat(first).isPositive();
		assertThat(this.orders.ship("17")).isGreaterThan(first);
	}

}
