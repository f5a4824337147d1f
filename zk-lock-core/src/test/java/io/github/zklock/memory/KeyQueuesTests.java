package io.github.zklock.memory;

import java.lang.reflect.Field;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.UUID;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.github.zklock.inspect.JobRun;
import io.github.zklock.internal.node.ClientIdentity;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What is kept of roots whose clients are gone.
 */
@Timeout(60)
class KeyQueuesTests {

	private final String root = "/" + UUID.randomUUID();

	@AfterEach
	void forgetMarks() throws Exception {
		roots("MARKED").keySet().removeIf((kept) -> kept.startsWith(this.root));
	}

	@Test
	void ofManyRootsThoseAreNotKeptWhoseJobsMayRunAgain() throws Exception {
		for (int i = 0; i < 300; i++) {
			KeyQueues queues = KeyQueues.of(this.root + i, 0);
			queues.execute(() -> queues.mark("nightly", mark()));
		}
		// Other tests of this JVM may have left some, too
		assertThat(roots("MARKED").keySet()).filteredOn((kept) -> kept.startsWith(this.root))
			.isNotEmpty()
			.hasSizeLessThanOrEqualTo(101);
	}

	private static KeyQueues.Mark mark() {
		Duration within = Duration.ofNanos(1);
		return new KeyQueues.Mark(
				new JobRun("nightly", 1, "1", Instant.EPOCH, within, within, "done", null, null, null),
				System.nanoTime() - within.multipliedBy(2).toNanos(),
				new ClientIdentity("test", "test-1", "localhost", 1, InstantSource.system()));
	}

	@Test
	void aRootWithoutClientsLeavesNoEntry() throws Exception {
		KeyQueues.of(this.root, 0);
		assertThat(roots("ROOTS")).containsKey(this.root);
		await().atMost(Actor.PATIENCE).until(() -> {
			System.gc();
			KeyQueues.of(this.root + "-next", 0);
			return !roots("ROOTS").containsKey(this.root);
		});
	}

	@SuppressWarnings("unchecked")
	private static Map<String, ?> roots(String name) throws ReflectiveOperationException {
		Field roots = KeyQueues.class.getDeclaredField(name);
		roots.setAccessible(true);
		return (Map<String, ?>) roots.get(null);
	}

}
