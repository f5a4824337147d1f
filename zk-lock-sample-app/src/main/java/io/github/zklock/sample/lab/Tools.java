package io.github.zklock.sample.lab;

import java.util.List;

import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

import io.github.zklock.LockClient;
import io.github.zklock.LockSessionStatus;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.sample.contest.QueueObserver.QueuedNode;
import io.github.zklock.test.LockTester;

/**
 * What a network, a frozen machine or an operator may do to a key. Not for production:
 * the library has {@link LockTester} for tests.
 */
@Component
@Profile("lab")
class Tools {

	private final CuratorFramework curator;

	private final LockSessionStatus session;

	private final LabKey key;

	private final Notes notes;

	private final Hand hand;

	private final KeyWatch watch;

	private @Nullable FrozenHolder frozen;

	Tools(CuratorFramework curator, LockClient lockClient, LockSessionStatus session, LabKey key, Notes notes) {
		this.curator = curator;
		this.session = session;
		this.key = key;
		this.notes = notes;
		this.watch = new KeyWatch(curator, key);
		this.hand = new Hand(lockClient, key, notes, this::changed);
	}

	private String connectString() {
		return this.curator.getZookeeperClient().getCurrentConnectionString();
	}

	/**
	 * Ends the session of this instance, as its servers do when they have not touched it
	 * for too long. What it holds is lost; it gets a new session by itself.
	 */
	void expireSession() {
		if (this.session.state() != LockSessionStatus.State.CONNECTED) {
			throw new LockUnavailableException("There is no session to end: no ZooKeeper server is connected");
		}
		String ended = Long.toHexString(this.session.sessionId());
		try (LockTester tester = new LockTester(this.curator, this.key.root())) {
			tester.expireSession();
		}
		catch (IllegalStateException ex) {
			throw new LockUnavailableException("The session could not be ended", ex);
		}
		this.notes.add("Session 0x%s of this instance has ended; its locks are lost".formatted(ended));
	}

	private void changed() {
		this.watch.want(() -> !areIdle());
	}

	boolean areIdle() {
		return this.hand.stage() == Hand.Stage.NONE && frozenStage() == FrozenHolder.Stage.NONE;
	}

	void take(String strategy) {
		this.hand.take(strategy);
	}

	void giveBack() {
		this.hand.giveBack();
	}

	synchronized void freeze(String strategy) {
		if (this.frozen == null || this.frozen.stage() == FrozenHolder.Stage.NONE) {
			this.frozen = new FrozenHolder(connectString(), this.key, strategy, this.notes, this::changed);
			this.frozen.start();
		}
	}

	synchronized void letGo() {
		if (this.frozen != null) {
			this.frozen.end();
		}
	}

	private synchronized FrozenHolder.Stage frozenStage() {
		return (this.frozen != null) ? this.frozen.stage() : FrozenHolder.Stage.NONE;
	}

	private synchronized @Nullable Long frozenToken() {
		return (this.frozen != null) ? this.frozen.token() : null;
	}

	StateView.Tools view() {
		return new StateView.Tools(this.hand.stage(), this.hand.token(), frozenStage(), frozenToken());
	}

	List<QueuedNode> queue() {
		return this.watch.queue();
	}

	void close() throws InterruptedException {
		this.hand.giveBack();
		letGo();
		FrozenHolder last;
		synchronized (this) {
			last = this.frozen;
		}
		if (last != null) {
			last.awaitEnd(10);
		}
	}

}
