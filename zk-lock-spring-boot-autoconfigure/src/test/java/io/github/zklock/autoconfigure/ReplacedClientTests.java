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
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import io.github.zklock.DistributedLock;
import io.github.zklock.LeaderElection;
import io.github.zklock.LeaderOnly;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockSessionStatus;
import io.github.zklock.OnBusy;
import io.github.zklock.autoconfigure.endpoint.ZkLocksEndpointAutoConfiguration;
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

	@Nested
	@SpringBootTest(classes = Unmeasured.class, properties = "zk-lock.in-memory=true")
	@MockitoBean(types = LockClient.class)
	@DirtiesContext
	class InMemoryWithoutMetersTests {

		@Test
		void methodsAskIt(@Autowired LockClient client, @Autowired Shop shop) throws InterruptedException {
			Mockito.when(client.tryAcquire(ArgumentMatchers.any(LockRequest.class))).thenReturn(Optional.empty());
			assertThat(shop.order()).as("skipped").isNull();
		}

	}

	@Nested
	@SpringBootTest(classes = { Application.class, Billing.class },
			properties = { "zk-lock.in-memory=true", "zk-lock.leader.names=billing" })
	@MockitoBean(types = LeaderElection.class)
	@DirtiesContext
	class ElectionTests {

		@Autowired
		private LeaderElection election;

		@Autowired
		private Billing billing;

		@Test
		void methodsAskIt(@Autowired MeterRegistry registry) {
			assertThat(this.billing.collect()).as("skipped").isNull();
			LockHandle handle = Mockito.mock(LockHandle.class);
			Mockito.when(handle.isHeld()).thenReturn(true);
			Mockito.when(this.election.enter()).thenReturn(Optional.of(handle));
			assertThat(this.billing.collect()).isEqualTo("collected");
			assertThat(registry.getMeters()).isNotEmpty();
		}

		@Test
		void anApplicationThatIsNotAvailableGoesOn(@Autowired ConfigurableApplicationContext context) {
			context.stop();
			context.start();
			Mockito.verify(this.election, Mockito.atLeastOnce()).withdraw();
			Mockito.verify(this.election, Mockito.atLeastOnce()).stand();
		}

	}

	static class Billing {

		@LeaderOnly("billing")
		public String collect() {
			return "collected";
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, ZkLockAutoConfiguration.class,
			ZkLockAopAutoConfiguration.class, ZkLockMetricsAutoConfiguration.class,
			ZkLocksEndpointAutoConfiguration.class })
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

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, ZkLockAutoConfiguration.class,
			ZkLockAopAutoConfiguration.class })
	static class Unmeasured {

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
