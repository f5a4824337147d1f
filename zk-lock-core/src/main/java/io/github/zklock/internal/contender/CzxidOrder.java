package io.github.zklock.internal.contender;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;

import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.node.LockNodeName;
import io.github.zklock.internal.node.NodeQueue;
import io.github.zklock.internal.session.AllAnswers;
import io.github.zklock.internal.session.LockSession;

/**
 * Orders those in a queue whose sequence numbers have come to their end by the nodes'
 * czxids, with one read for each of them.
 */
public final class CzxidOrder {

	private CzxidOrder() {
	}

	/**
	 * Orders a queue, and reads the czxids if they are needed for that.
	 * @param queue the queue by its numbers
	 * @param keyNode where it is
	 * @param session where to read
	 * @param steps where to go on when reads had to be waited for
	 * @param then gets OK and the ordered queue, or the code of a read that failed; at
	 * once if the numbers say the order
	 */
	public static void of(NodeQueue queue, String keyNode, LockSession session, Executor steps,
			BiConsumer<Code, @Nullable NodeQueue> then) {
		if (!queue.needsCzxids()) {
			then.accept(Code.OK, queue);
			return;
		}
		Map<String, Long> czxids = new HashMap<>();
		AllAnswers all = new AllAnswers(session.failures(), queue.nearOverflow().size(),
				(code) -> steps.execute(() -> then.accept(code, (code == Code.OK) ? queue.byCzxid(czxids) : null)));
		for (LockNodeName name : queue.nearOverflow()) {
			session.requests()
				.exists(keyNode + "/" + name.name(),
						(code, stat) -> all.answered((code == Code.NONODE) ? Code.OK : code, () -> {
							if (stat != null) {
								czxids.put(name.name(), stat.getCzxid());
							}
						}));
		}
	}

}
