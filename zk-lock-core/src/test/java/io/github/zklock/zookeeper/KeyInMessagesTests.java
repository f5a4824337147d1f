package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.InVain;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * A key may be what a user has written: it makes no line of its own in a log, and
 * commands no terminal.
 */
@Timeout(60)
class KeyInMessagesTests {

	private static final String KEY = "order\nERROR forged\u001b[2J\u0085";

	private static final String SHOWN = "order?ERROR forged?[2J?";

	private static final String CONTROL = "[\\p{Cc}&&[^\n]]|\nERROR forged";

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	@Test
	void anExceptionShowsNoControlCharacter() throws Exception {
		LockClient other = this.zk.client().open();
		try (LockHandle held = this.zk.client().open().acquire(LockRequest.exclusive(KEY))) {
			InVain.of(() -> other.acquire(LockRequest.exclusive(held.key()).timeout(Duration.ofMillis(50))),
					(ex) -> assertThat(ex.getMessage())
						.startsWith("Could not acquire lock '" + SHOWN + "' within 50ms: held by ")
						.doesNotContainPattern("\\p{Cc}"));
			assertThat(held.key()).isEqualTo(KEY);
		}
	}

	@Test
	void theRefusalOfAKeyShowsNoControlCharacter() {
		assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.exclusive(KEY.repeat(100)))
			.satisfies((ex) -> assertThat(ex.getMessage()).contains("'" + SHOWN).doesNotContainPattern("\\p{Cc}"));
		assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.permits(KEY, 0))
			.withMessageContaining("'" + SHOWN + "'");
		LockRequest permit = LockRequest.permits(KEY, 1);
		assertThatIllegalArgumentException().isThrownBy(() -> permit.and(LockRequest.exclusive(KEY)))
			.withMessageStartingWith("'" + SHOWN + "'");
		LockClient nested = this.zk.client().with((builder) -> builder.nestedKeys(true)).open();
		assertThatIllegalArgumentException()
			.isThrownBy(() -> nested.acquire(LockRequest.exclusive("/" + KEY + "x-lock-0000000000")))
			.withMessageContaining("'/" + SHOWN + "x-lock-0000000000'");
	}

	@Test
	void theWarningOfALossShowsNoControlCharacter() throws Exception {
		this.zk.announce("A hold of");
		LockClient client = this.zk.client().open();
		try (LockHandle held = client.acquire(LockRequest.exclusive(KEY));
				LockHandle several = client.acquire(LockRequest.keys(List.of(KEY + "1", KEY + "2")))) {
			assertThat(held.isHeld() && several.isHeld()).isTrue();
			client.close();
		}
		await().untilAsserted(() -> assertThat(this.zk.warnings()).contains("A hold of lock '" + SHOWN + "' was lost",
				"A hold of locks [" + SHOWN + "1, " + SHOWN + "2] was lost"));
		assertThat(this.zk.warnings()).doesNotContainPattern(CONTROL);
	}

	@Test
	void theWarningOfASlowWaitShowsNoControlCharacter() throws Exception {
		this.zk.announce("has waited");
		LockClient slow = this.zk.client().with((builder) -> builder.slowWait(Duration.ofMillis(100))).open();
		slow.acquire(LockRequest.exclusive("connected")).releaseAsync().join();
		try (LockHandle held = this.zk.client().open().acquire(LockRequest.exclusive(KEY))) {
			CompletableFuture<LockHandle> waiting = slow.acquireAsync(LockRequest.keys(List.of("a", KEY)));
			await().untilAsserted(() -> assertThat(this.zk.warnings())
				.contains("for locks [a, " + SHOWN + "]: '" + SHOWN + "' held by "));
			assertThat(this.zk.warnings()).doesNotContainPattern(CONTROL);
			held.release();
			Actor.get(waiting).release();
		}
	}

}
