package io.github.zklock.internal.contender;

import java.util.function.Consumer;

import org.apache.zookeeper.KeeperException.Code;

import io.github.zklock.LockMode;
import io.github.zklock.internal.node.LockNodeName;
import io.github.zklock.internal.node.NodeQueue;
import io.github.zklock.internal.node.ReleaseNote;
import io.github.zklock.internal.session.LockSession;

/*
 * In a long queue a list for each change would be much to read. Who leaves it as the first notes that in the
 * key node, in the transaction that deletes its own node. Who was directly behind it so learns that nobody is in
 * its way.
 *
 * I1: a note of N shows that nobody was before N when N was the first, and that N has gone. Who waits for N alone
 *     had N directly before it, of those that exclude it, in a list that had both; nobody comes between them later, or
 *     before N. So nobody is in its way. Of a READ this would not be so: others may hold the key beside it.
 * I2: no note, or one of another node, says nothing: it gave up, its session ended, others deleted it, or its client
 *     leaves no notes. Then the queue is listed.
 *
 * Confined to the contender's serial executor.
 */
/**
 * What one node's contender knows of notes in the key node: whether it leaves one, and
 * whether to look for one.
 */
final class ReleaseNotes {

	private boolean queueIsLong;

	private boolean queueWasLong;

	private boolean first;

	void saw(NodeQueue queue) {
		this.queueIsLong = queue.isLong();
		this.queueWasLong |= this.queueIsLong;
	}

	/** Nobody is in the way any more. */
	void first() {
		this.first = true;
	}

	/**
	 * Returns whether its node leaves a note.
	 * @param mode its mode
	 * @return whether the queue was long, and nobody holds the key beside it
	 */
	boolean isLeft(LockMode mode) {
		return this.queueWasLong && this.first && !mode.isShared();
	}

	/**
	 * Looks for the note of one that has gone, if the queue was long.
	 * @param blocker the one that was directly in the way
	 * @param keyNode the key node
	 * @param session where
	 * @param then gets whether nobody is in the way; may be called at once
	 */
	void find(LockNodeName blocker, String keyNode, LockSession session, Consumer<Boolean> then) {
		if (!this.queueIsLong || blocker.isPermit() || blocker.mode().isShared()) {
			then.accept(false);
			return;
		}
		session.requests()
			.read(keyNode, null,
					(code, content, stat) -> then.accept(code == Code.OK && ReleaseNote.isOf(content, blocker.name())));
	}

}
