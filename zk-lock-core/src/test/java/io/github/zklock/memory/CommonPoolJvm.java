package io.github.zklock.memory;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;

/**
 * A task of the common pool that waits for one lock while it holds another, which its
 * subtasks want: prints how many of these were inside with it.
 */
final class CommonPoolJvm {

	private static final LockRequest HELD = LockRequest.exclusive("held").timeout(Duration.ofSeconds(20));

	private static final LockRequest BUSY = LockRequest.exclusive("busy").timeout(Duration.ofMillis(300));

	private final LockClient client = MemoryLockClient.builder().build();

	private final Queue<CompletableFuture<Void>> subtasks = new ConcurrentLinkedQueue<>();

	private final AtomicBoolean inside = new AtomicBoolean();

	private final AtomicInteger together = new AtomicInteger();

	private CommonPoolJvm() {
	}

	/**
	 * Runs the tasks.
	 * @param arguments none
	 * @throws InterruptedException never
	 */
	public static void main(String[] arguments) throws InterruptedException {
		System.setProperty("java.util.concurrent.ForkJoinPool.common.parallelism", "3");
		CommonPoolJvm jvm = new CommonPoolJvm();
		LockHandle busy = jvm.client.acquire(BUSY);
		CompletableFuture.runAsync(jvm::waitInside).join();
		jvm.subtasks.forEach(CompletableFuture::join);
		System.out.println(jvm.together.get());
		busy.release();
	}

	private void waitInside() {
		try (LockHandle held = this.client.acquire(HELD)) {
			this.inside.set(held.isHeld());
			for (int i = 0; i < 40; i++) {
				this.subtasks.add(CompletableFuture.runAsync(this::come));
			}
			waitForAnother();
			this.inside.set(false);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void waitForAnother() throws InterruptedException {
		try {
			this.client.acquire(BUSY).release();
		}
		catch (LockTimeoutException ex) {
			// Somebody else has it all the time
		}
	}

	private void come() {
		try (LockHandle held = this.client.acquire(HELD)) {
			if (held.isHeld() && this.inside.get()) {
				this.together.incrementAndGet();
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
