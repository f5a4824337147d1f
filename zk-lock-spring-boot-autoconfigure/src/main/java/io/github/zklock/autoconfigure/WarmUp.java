package io.github.zklock.autoconfigure;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.zookeeper.LockSessions;
import io.github.zklock.zookeeper.ZooKeeperLockClient;

/**
 * Takes and releases a lock that nobody else wants, twice, by a client of its own that no
 * listener knows. A first lock loads some 200 classes, which may take longer than who
 * tries once waits for an answer.
 */
final class WarmUp implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(WarmUp.class);

	private static final Duration MOMENT = Duration.ofMillis(250);

	private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

	private final @Nullable CuratorFramework curator;

	private final String keyNode;

	private final ZooKeeperLockClient client;

	private final CompletableFuture<Void> ended;

	private CompletableFuture<LockHandle> asked = new CompletableFuture<>();

	private boolean closed;

	/**
	 * Begins as soon as a server answers.
	 * @param curator deletes the key node; if there is none, or it is not connected, the
	 * servers reap it
	 * @param sessions where its locks are
	 */
	WarmUp(@Nullable CuratorFramework curator, LockSessions sessions) {
		this(curator, sessions, ZooKeeperLockClient.builder(sessions).build());
	}

	WarmUp(@Nullable CuratorFramework curator, LockSessions sessions, ZooKeeperLockClient client) {
		String key = "zk-lock-warm-up-" + UUID.randomUUID();
		this.curator = curator;
		this.keyNode = sessions.keyNode(key);
		this.client = client;
		LockRequest request = LockRequest.exclusive(key);
		this.ended = lock(request.timeout(FOREVER)).thenCompose((released) -> lock(request.timeout(Duration.ZERO)))
			.whenComplete((released, failure) -> end(failure));
	}

	private synchronized CompletableFuture<Void> lock(LockRequest request) {
		if (this.closed) {
			return CompletableFuture.failedFuture(new CancellationException("The application ends"));
		}
		this.asked = this.client.acquireAsync(request);
		return this.asked.thenCompose(LockHandle::releaseAsync);
	}

	private void end(@Nullable Throwable failure) {
		if (failure != null) {
			log.debug("The first lock is not warmed up", failure);
		}
		deleteKeyNode();
		this.client.close();
	}

	private synchronized void deleteKeyNode() {
		try {
			if (!this.closed && this.curator != null && isConnected()) {
				this.curator.usingNamespace(null).delete().inBackground().forPath(this.keyNode);
			}
		}
		catch (Exception ex) {
			log.debug("The servers will reap {}", this.keyNode, ex);
		}
	}

	// After it Curator's client is closed, so nothing is asked of that any more. What is
	// under way may end first. A lock that is not brought by then is given back, or the
	// log would say that it was lost
	@Override
	public void close() {
		synchronized (this) {
			this.closed = true;
		}
		if (isConnected()) {
			this.ended.copy()
				.completeOnTimeout(null, MOMENT.toMillis(), TimeUnit.MILLISECONDS)
				.exceptionally((failure) -> null)
				.join();
		}
		this.asked.cancel(false);
		// Brought, but not yet given back by the thread that brings it
		CompletableFuture<Void> unused = this.asked.thenAccept(LockHandle::release);
		this.client.close();
	}

	private boolean isConnected() {
		return this.curator != null && this.curator.getZookeeperClient().isConnected();
	}

}
