package io.github.zklock.internal.contender;

import java.util.concurrent.Executor;
import java.util.function.Consumer;

import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.github.zklock.LockMode;
import io.github.zklock.internal.node.LockNodeName;
import io.github.zklock.internal.node.NodeQueue;
import io.github.zklock.internal.node.ReleaseNote;
import io.github.zklock.internal.session.LockSession;

/**
 * What one node's contender knows of notes in the key node: whether it leaves one, and
 * whether to look for one.
 */
final class ReleaseNotes {

	/*-
	 * In a long queue a list for each change would be much to read. Who leaves it as the first notes that in the
	 * key node, in the transaction that deletes its own node. Who was directly behind it so learns that nobody is in
	 * its way.
	 *
	 * I1: a note of N shows that nobody was before N when N was the first, and that N has gone. Who waits for N alone
	 *     had N directly before it, of those that exclude it, in a list that had both; nobody comes between them later, or
	 *     before N. So nobody is in its way. Of a READ this would not be so: others may hold the key beside it.
	 * I2: no note, or one of another node, says nothing: it gave up, its session ended, others deleted it, or its client
	 *     leaves no notes. Then the queue is listed.
	 * I3: a note replaces nothing but a note: who writes one has seen the key node without data, or with a note, and
	 *     writes it only over that version.
	 *
	 * Confined to the contender's serial executor.
	 */

	private static final int UNKNOWN = -1;

	private int version = UNKNOWN;

	private boolean queueIsLong;

	private boolean queueWasLong;

	private boolean unread;

	private boolean first;

	/**
	 * The queue was listed.
	 * @param queue the queue
	 * @param keyNode its key node, or null if that is not known
	 */
	void saw(NodeQueue queue, @Nullable Stat keyNode) {
		this.queueIsLong = queue.isLong();
		this.queueWasLong |= this.queueIsLong;
		if (keyNode != null && (keyNode.getDataLength() == 0 || keyNode.getVersion() != this.version)) {
			this.version = (keyNode.getDataLength() == 0) ? keyNode.getVersion() : UNKNOWN;
		}
	}

	/**
	 * Nobody is in the way any more. What the key node says is read, and not waited for,
	 * if a note might be written and it was not read because a READ was in the way.
	 * @param mode the mode of its node
	 * @param keyNode the key node
	 * @param session where
	 * @param steps runs the contender's steps
	 */
	void first(LockMode mode, String keyNode, LockSession session, Executor steps) {
		this.first = true;
		if (this.unread && this.version == UNKNOWN && !mode.isShared()) {
			read(keyNode, session, steps, (content) -> {
			});
		}
	}

	private void read(String keyNode, LockSession session, Executor steps, Consumer<byte @Nullable []> then) {
		session.requests().read(keyNode, null, (code, content, stat) -> steps.execute(() -> {
			if (stat != null) {
				this.version = ReleaseNote.mayReplace(content) ? stat.getVersion() : UNKNOWN;
			}
			then.accept(content);
		}));
	}

	/**
	 * Returns whether its node leaves a note.
	 * @param mode its mode
	 * @return whether the queue was long, nobody holds the key beside it, and the note
	 * would replace nothing of others
	 */
	boolean isLeft(LockMode mode) {
		return this.queueWasLong && this.first && !mode.isShared() && this.version != UNKNOWN;
	}

	/**
	 * Returns what a note is written over.
	 * @return the version of the key node's data
	 */
	int version() {
		return this.version;
	}

	/**
	 * Looks for the note of one that has gone, if the queue was long.
	 * @param blocker the one that was directly in the way
	 * @param keyNode the key node
	 * @param session where
	 * @param steps runs the contender's steps
	 * @param then gets, in a step, whether nobody is in the way; may be called at once
	 */
	void find(LockNodeName blocker, String keyNode, LockSession session, Executor steps, Consumer<Boolean> then) {
		if (!this.queueIsLong || blocker.isPermit() || blocker.mode().isShared()) {
			this.unread = this.queueIsLong;
			then.accept(false);
			return;
		}
		read(keyNode, session, steps, (content) -> then.accept(ReleaseNote.isOf(content, blocker.name())));
	}

}
