package io.github.zklock.sample.docs;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.test.LockTester;
import io.github.zklock.test.ZkLockExtension;

import static org.assertj.core.api.Assertions.assertThat;

// tag::plain[]
@ExtendWith(ZkLockExtension.class)
class PlainTests {

	private static final LockRequest SEAT = LockRequest.exclusive("seat").timeout(Duration.ofSeconds(5));

	@Test
	void lostLockIsFreeForOthers(LockClient client, LockTester locks) throws Exception {
		try (LockHandle handle = client.acquire(SEAT)) {
			assertThat(locks.isFree("seat")).isFalse();
			locks.expireSession();
			assertThat(handle.isHeld()).isFalse();
			assertThat(locks.isFree("seat")).isTrue();
		}
	}

}
// end::plain[]
