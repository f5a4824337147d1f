package io.github.zklock.test;

import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

import io.github.zklock.LockClient;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An instance for all tests of the class, which is made before the class is begun.
 */
@ExtendWith(ZkLockExtension.class)
@TestInstance(Lifecycle.PER_CLASS)
class ZkLockExtensionPerClassTests {

	private final LockClient given;

	ZkLockExtensionPerClassTests(LockClient given) {
		this.given = given;
	}

	@Test
	void theConstructorHasTheClient(LockClient client) throws Exception {
		assertThat(this.given).isSameAs(client);
		client.acquire(LockRequest.exclusive("c")).release();
	}

	@Test
	void nothingIsLeftRunningBehindAConstructorThatFails() {
		Failing.client.set(null);
		LauncherFactory.create()
			.execute(LauncherDiscoveryRequestBuilder.request()
				.selectors(DiscoverySelectors.selectClass(Failing.class))
				.configurationParameter("junit.jupiter.conditions.deactivate", "*")
				.build());
		LockClient left = Failing.client.get();
		assertThat(left).isNotNull();
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> left.acquire(LockRequest.exclusive("c")))
			.withMessageContaining("closed");
	}

	/** Is no class of tests of its own. */
	@ExtendWith(ZkLockExtension.class)
	@TestInstance(Lifecycle.PER_CLASS)
	@Disabled("run by the test above")
	static class Failing {

		static final AtomicReference<LockClient> client = new AtomicReference<>();

		Failing(LockClient given) {
			client.set(given);
			throw new IllegalStateException("planted");
		}

		@Test
		void isNeverRun() {
			throw new AssertionError("There is no instance");
		}

	}

}
