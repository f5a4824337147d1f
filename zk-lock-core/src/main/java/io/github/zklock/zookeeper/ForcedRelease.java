package io.github.zklock.zookeeper;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import org.apache.zookeeper.data.Stat;

import io.github.zklock.LockUnavailableException;
import io.github.zklock.inspect.LockQueue.Contender;
import io.github.zklock.internal.session.SessionSource;
import io.github.zklock.spi.Grant;

/**
 * Takes a key away from those who hold it.
 *
 * @param reads the inspector's connection
 * @param source where holders in this process are
 * @param key the key
 * @param keyNode the path of its key node
 * @param released is given each of them as soon as its node was deleted
 */
record ForcedRelease(InspectorReads reads, SessionSource source, String key, String keyNode,
		Consumer<? super Contender> released) {

	/*-
	 * The server may lag, so each look comes after a transaction; and the holder may change after the look, so its
	 * node is read once more, for another holder may be at the path of a node without sequence number.
	 * ZooKeeper cannot delete on condition of a czxid, so between that read and the delete a round trip remains.
	 * One that may not be read has no token, and a sequence number, so that no other is at its path.
	 * A holder in this process is notified before its node is gone, and its own session deletes that. Where no
	 * node was deleted all holders have changed, and it looks again. Once one was deleted it does not: it would
	 * take the key from the next holder too. Readers, and those who have permits, may be more than are shown.
	 */

	private static final int MOST_LOOKS = 5;

	/**
	 * Deletes the holders' nodes.
	 * @return those whose nodes were deleted; empty if nobody holds the key
	 * @throws LockUnavailableException if the servers gave no answer, or refused, or the
	 * holders changed at each look
	 */
	List<Contender> run() {
		for (int look = 0; look < MOST_LOOKS; look++) {
			this.reads.commit();
			List<Contender> queue = this.reads.queue(this.key, this.keyNode, Integer.MAX_VALUE).contenders();
			List<Contender> gone = queue.stream().filter(Contender::holds).filter(this::release).toList();
			if (queue.isEmpty() || !gone.isEmpty()) {
				return gone;
			}
		}
		throw new LockUnavailableException(
				"The holders of lock '%s' change all the time, nothing was released".formatted(this.key));
	}

	private boolean release(Contender holder) {
		boolean gone = delete(holder);
		if (gone) {
			this.released.accept(holder);
		}
		return gone;
	}

	private boolean delete(Contender holder) {
		CompletionStage<Void> gone = this.source.takeAway(holder.path(), holder.token());
		if (gone != null) {
			InspectorReads.get(gone.toCompletableFuture(), holder.path());
			return true;
		}
		Stat now = this.reads.contender(holder.path());
		return now != null && now.getCzxid() * Grant.TOKENS == holder.token() && this.reads.delete(holder.path());
	}

}
