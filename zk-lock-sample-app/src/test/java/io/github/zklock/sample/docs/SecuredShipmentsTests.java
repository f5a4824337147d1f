package io.github.zklock.sample.docs;

import io.micrometer.core.instrument.MeterRegistry;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import io.github.zklock.LockHandle;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.test.AutoConfigureZkLockTest;
import io.github.zklock.test.LockTester;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The settings of docs/security.md and docs/operations.md together, in a test as the
 * README's quick start has it.
 */
@TestPropertySource(properties = { "spring.config.location=classpath:readme/secured.yml",
		"ZOOKEEPER_PASSWORD=z5-very-secret", "zk-lock.ssl.bundle=production", "zk-lock.in-memory=true" })
@AutoConfigureMockMvc
@SpringBootTest
@AutoConfigureZkLockTest
class SecuredShipmentsTests {

	@Autowired
	Shipments shipments;

	@Autowired
	LockTester locks;

	@Test
	void orderIsShippedUnderItsLock() {
		assertThat(this.shipments.ship(41)).isPositive();
		assertThat(this.locks.isFree("order-41")).isTrue();
	}

	@Test
	void orderThatAnotherInstanceShipsIsLeftAlone() {
		try (LockHandle another = this.locks.hold("order-42")) {
			assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(() -> this.shipments.ship(42));
			assertThat(another.isHeld()).isTrue();
		}
	}

	@Test
	void locksAreSecured(@Autowired CuratorFramework curator) throws Exception {
		this.shipments.ship(43);
		assertThat(curator.getACL().forPath("/zk-lock")).singleElement()
			.satisfies((acl) -> assertThat(acl.getId().getId()).startsWith("shop:"));
	}

	@Test
	void locksAreObserved(@Autowired MockMvcTester mvc, @Autowired MeterRegistry meters) {
		this.shipments.ship(44);
		// Listeners hear of it on the callback executor
		await().until(() -> !meters.find("zk.lock.acquire").tag("key", "order-#{#id}").timers().isEmpty());
		try (LockHandle another = this.locks.hold("order-45")) {
			assertThat(mvc.get().uri("/actuator/zklocks/order-45")).hasStatusOk()
				.bodyJson()
				.extractingPath("$.holders[0].token")
				.asNumber()
				.satisfies((token) -> assertThat(token.longValue()).isEqualTo(another.fencingToken()));
		}
		assertThat(mvc.get().uri("/actuator/health")).hasStatusOk()
			.bodyJson()
			.extractingPath("$.status")
			.isEqualTo("UP");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		Shipments shipments() {
			return new Shipments();
		}

	}

}
