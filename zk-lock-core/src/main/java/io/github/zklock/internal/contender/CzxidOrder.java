package io.github.zklock.internal.contender;

import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.concurrent.Mailbox;
import io.github.zklock.internal.node.Line;
import io.github.zklock.internal.node.LineName;
import io.github.zklock.internal.session.LockSession;

/**
 * Orders a line whose sequence numbers have come to their end by the nodes' czxids, with
 * one read for each node.
 */
public final class CzxidOrder {

	private final Mailbox mailbox = new Mailbox();

	private final Map<String, Long> czxids = new HashMap<>();

	private final Line line;

	private final BiConsumer<Code, @Nullable Line> then;

	private int missing;

	private Code worst = Code.OK;

	private CzxidOrder(Line line, BiConsumer<Code, @Nullable Line> then) {
		this.line = line;
		this.then = then;
		this.missing = line.names().size();
	}

	/**
	 * Reads the czxids and orders the line.
	 * @param line the line by its numbers
	 * @param place where it stands
	 * @param session where to read
	 * @param then gets OK and the ordered line, or the code of a read that failed
	 */
	public static void of(Line line, String place, LockSession session, BiConsumer<Code, @Nullable Line> then) {
		CzxidOrder order = new CzxidOrder(line, then);
		for (LineName name : line.names()) {
			session.requests()
				.exists(place + "/" + name.name(),
						(code, stat) -> order.mailbox.execute(() -> order.read(name.name(), code, stat)));
		}
	}

	private void read(String name, Code code, @Nullable Stat stat) {
		if (code == Code.OK && stat != null) {
			this.czxids.put(name, stat.getCzxid());
		}
		else if (code != Code.NONODE) {
			this.worst = code;
		}
		if (--this.missing == 0) {
			this.then.accept(this.worst, (this.worst == Code.OK) ? this.line.byCzxid(this.czxids) : null);
		}
	}

}
