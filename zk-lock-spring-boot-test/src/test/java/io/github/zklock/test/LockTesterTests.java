package io.github.zklock.test;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Configuration;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The tester of an application whose keys are paths with a prefix.
 */
@SpringBootTest(webEnvironment = WebEnvironment.NONE,
		properties = { "zk-lock.nested-keys=true", "zk-lock.key-prefix=shop:" })
@AutoConfigureZkLockTest
class LockTesterTests {

	private static final String KEY = "orders/42";

	@Autowired
	LockClient client;

	@Autowired
	LockTester locks;

	@Test
	void whatTheApplicationHoldsIsNotFree() throws Exception {
		try (LockHandle held = this.client.acquire(LockRequest.exclusive(KEY))) {
			assertThat(held.isHeld()).isTrue();
			assertThat(this.locks.isFree(KEY)).isFalse();
		}
		assertThat(this.locks.isFree(KEY)).isTrue();
	}

	@Test
	void whatTheOtherInstanceHoldsIsBusy() throws Exception {
		LockRequest request = LockRequest.exclusive(KEY).timeout(Duration.ofMillis(300));
		try (LockHandle held = this.locks.hold(KEY)) {
			assertThat(held.isHeld()).isTrue();
			assertThat(this.client.tryAcquire(request)).isEmpty();
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
