package io.github.zklock.autoconfigure;

import java.util.Optional;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentMatchers;
import org.mockito.Mockito;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockClient;
import io.github.zklock.LockRequest;
import io.github.zklock.LockSessionStatus;
import io.github.zklock.OnBusy;
import io.github.zklock.autoconfigure.endpoint.ZkLocksEndpointAutoConfiguration;
import io.github.zklock.autoconfigure.health.ZkLockHealthContributorAutoConfiguration;
import io.github.zklock.autoconfigure.metrics.ZkLockMetricsAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A test may put another lock client where ours stands. Here a mock is the real part: it
 * replaces a bean whose definition says of which class it is.
 */
class ReplacedClientTests {

	abstract static class Contract {

		@Autowired
		private Shop shop;

		@Autowired
		private MeterRegistry registry;

		@Test
		void methodsAskIt(@Autowired LockClient client) throws InterruptedException {
			Mockito.when(client.tryAcquire(ArgumentMatchers.any(LockRequest.class))).thenReturn(Optional.empty());
			assertThat(this.shop.order()).as("skipped").isNull();
		}

		@Test
		void theOtherBeansAreThere() {
			assertThat(this.registry.getMeters()).isNotEmpty();
		}

	}

	@Nested
	@SpringBootTest(classes = Application.class, properties = "zk-lock.embedded.enabled=true")
	@MockitoBean(types = LockClient.class)
	@DirtiesContext
	class OnAServerTests extends Contract {

	}

	// There the client is the session, too, whose state is measured
	@Nested
	@SpringBootTest(classes = Application.class, properties = "zk-lock.in-memory=true")
	@MockitoBean(types = LockClient.class, extraInterfaces = LockSessionStatus.class)
	@DirtiesContext
	class InMemoryTests extends Contract {

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, ZkLockAutoConfiguration.class,
			ZkLockAopAutoConfiguration.class, ZkLockMetricsAutoConfiguration.class,
			ZkLockHealthContributorAutoConfiguration.class, ZkLocksEndpointAutoConfiguration.class })
	static class Application {

		@Bean
		MeterRegistry registry() {
			return new SimpleMeterRegistry();
		}

		@Bean
		Shop shop() {
			return new Shop();
		}

	}

	static class Shop {

		@DistributedLock(key = "k", onBusy = OnBusy.SKIP)
		public String order() {
			return "ordered";
		}

	}

}
