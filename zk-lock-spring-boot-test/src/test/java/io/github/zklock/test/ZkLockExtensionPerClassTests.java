package io.github.zklock.test;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;

import io.github.zklock.LockClient;
import io.github.zklock.LockRequest;

import static org.assertj.core.api.Assertions.assertThat;

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

}
