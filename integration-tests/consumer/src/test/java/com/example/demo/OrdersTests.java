// tag::all[]
package com.example.demo;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import io.github.zklock.LockHandle;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.test.AutoConfigureZkLockTest;
import io.github.zklock.test.LockTester;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@SpringBootTest
@AutoConfigureZkLockTest
class OrdersTests {

	@Autowired
	Orders orders;

	@Autowired
	LockTester locks;

	@Test
	void orderIsShippedUnderItsLock() {
		assertThat(this.orders.ship(41)).isPositive();
		assertThat(this.locks.isFree("order-41")).isTrue();
	}

	@Test
	void orderThatAnotherInstanceShipsIsLeftAlone() {
		try (LockHandle another = this.locks.hold("order-42")) {
			assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(() -> this.orders.ship(42));
			assertThat(another.isHeld()).isTrue();
		}
	}

}
// end::all[]
