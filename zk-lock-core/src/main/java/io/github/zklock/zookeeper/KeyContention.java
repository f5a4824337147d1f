package io.github.zklock.zookeeper;

import java.util.List;
import java.util.function.Consumer;

import io.github.zklock.LockMode;
import io.github.zklock.WaitingCaller;
import io.github.zklock.internal.client.ContentionSource;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.SessionSource;

/**
 * Looks at those who wait for a key, and at those who ask its holder to let go.
 *
 * @param waiting those who wait
 * @param asking those who ask
 */
record KeyContention(NewcomerWatch waiting, AskNode asking) implements ContentionSource.Observer {

	static KeyContention of(LockSession session, SessionSource source, String key) {
		return new KeyContention(
				new NewcomerWatch(session, source.paths().keyNode(key), new WaiterDescription(source.identity(), key)),
				new AskNode(session, source, key));
	}

	@Override
	public void look(LockMode held, Consumer<List<WaitingCaller>> found) {
		this.waiting.look(held, found);
		this.asking.look(held, found);
	}

	@Override
	public void leave() {
		this.waiting.leave();
		this.asking.leave();
	}

}
