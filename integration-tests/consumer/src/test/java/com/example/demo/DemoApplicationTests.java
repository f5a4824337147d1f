package com.example.demo;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Starts with the README's settings, and so with the server inside.
 */
@SpringBootTest
class DemoApplicationTests {

	@Autowired
	private Orders orders;

	@Test
	void lockedMethodHasATokenThatGrows() {
		long first = this.orders.ship(17);
		assertThat(first).isPositive();
		assertThat(this.orders.ship(17)).isGreaterThan(first);
	}

}
