package io.github.zklock.internal.contender;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;

import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.node.Line;
import io.github.zklock.internal.node.LineName;
import io.github.zklock.internal.session.AllAnswers;
import io.github.zklock.internal.session.LockSession;

/**
 * Orders a line whose sequence numbers have come to their end by the nodes' czxids, with
 * one read for each node.
 */
public final class CzxidOrder {

	private CzxidOrder() {
	}

	/**
	 * Orders a line, and reads the czxids if they are needed for that.
	 * @param line the line by its numbers
	 * @param place where it stands
	 * @param session where to read
	 * @param steps where to go on when reads had to be waited for
	 * @param then gets OK and the ordered line, or the code of a read that failed; at
	 * once if the numbers can be trusted
	 */
	public static void of(Line line, String place, LockSession session, Executor steps,
			BiConsumer<Code, @Nullable Line> then) {
		if (!line.needsCzxids()) {
			then.accept(Code.OK, line);
			return;
		}
		Map<String, Long> czxids = new HashMap<>();
		AllAnswers all = new AllAnswers(line.names().size(),
				(code) -> steps.execute(() -> then.accept(code, (code == Code.OK) ? line.byCzxid(czxids) : null)));
		for (LineName name : line.names()) {
			session.requests()
				.exists(place + "/" + name.name(),
						(code, stat) -> all.answered((code == Code.NONODE) ? Code.OK : code, () -> {
							if (stat != null) {
								czxids.put(name.name(), stat.getCzxid());
							}
						}));
		}
	}

}
