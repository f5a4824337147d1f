package io.github.zklock.zookeeper;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.github.zklock.LockMode;
import io.github.zklock.WaitingCaller;
import io.github.zklock.inspect.HolderNote;
import io.github.zklock.internal.client.ContentionSource;
import io.github.zklock.internal.concurrent.OwnedSteps;
import io.github.zklock.internal.concurrent.SerialExecutor;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.NodeWatch;
import io.github.zklock.internal.session.NodeWatches.Registration;
import io.github.zklock.internal.session.ResultKind;
import io.github.zklock.internal.session.SessionMember;
import io.github.zklock.internal.session.SessionSource;

/**
 * An ephemeral node beside the keys by which a holder can be asked to let go: who asks
 * writes into it, and the holder writes that it has noticed.
 */
final class AskNode implements ContentionSource.Observer, NodeWatch.Listener, SessionMember {

	/*-
	 * NONE -> MAKING -> MADE -> NONE, if it was deleted; MAKING -> REFUSED. After a lost answer one that is
	 * refused may be there: it is taken for MADE, and looked at, or deleted.
	 *
	 * It is made at the second look, so that short holds have none. A look at a node that is not
	 * watched sets a watch, and by that reads it; an event takes the watch away.
	 *
	 * I1: after `leave` the node is deleted, also if the answer to its create comes then, and later if
	 *     that is refused.
	 *     It is tracked until then, so what is repeated is repeated also while the client closes.
	 * I2: an ask is reported once: `reported` is the last one. Of several between two looks only the last
	 *     is seen. An answer to it that was lost is repeated: the watch is left, so the next look reads.
	 *
	 * All is confined to `steps`.
	 */

	private enum State {

		NONE, MAKING, MADE, REFUSED

	}

	private static final byte[] NOTHING = {};

	private final LockSession session;

	private final SessionSource source;

	private final String key;

	private final String id;

	private final String path;

	private final OwnedSteps steps;

	private State state = State.NONE;

	private LockMode held = LockMode.EXCLUSIVE;

	private Consumer<List<WaitingCaller>> found = (nobody) -> {
	};

	private @Nullable Registration watching;

	private @Nullable String reported;

	private boolean looked;

	private boolean left;

	private boolean lost;

	private int refusals;

	AskNode(LockSession session, SessionSource source, String key) {
		this.session = session;
		this.source = source;
		this.key = key;
		this.id = source.identity().nextId();
		this.path = source.paths().askedBeside(key) + this.id;
		this.steps = new SerialExecutor(session.failures()).of(this, (failure) -> failed());
	}

	@Override
	public void look(LockMode mode, Consumer<List<WaitingCaller>> asks) {
		this.steps.execute(() -> {
			this.held = mode;
			this.found = asks;
			if (this.looked && !this.left) {
				if (this.state == State.NONE) {
					make();
				}
				else if (this.state == State.MADE) {
					watch();
				}
			}
			this.looked = true;
		});
	}

	@Override
	public void leave() {
		this.steps.execute(this::stop);
	}

	private void stop() {
		if (!this.left) {
			this.left = true;
			if (this.state == State.MADE) {
				delete();
			}
		}
	}

	// What was sent may have made it, and what was to be sent may not have been
	private void failed() {
		this.left = true;
		unwatch();
		if (this.state == State.MAKING || this.state == State.MADE) {
			this.session.later(this.session.leasePause(), () -> whenSettled(this::delete));
		}
	}

	private void make() {
		// The user's, which may fail
		List<ACL> acl = this.source.paths().aclOf(this.key);
		this.state = State.MAKING;
		this.session.track(this);
		this.session.requests()
			.create(this.path, describe(Map.of()), acl, CreateMode.EPHEMERAL,
					(code, made, stat) -> this.steps.execute(() -> made(code)));
	}

	private void made(Code code) {
		ResultKind kind = ResultKind.of(code);
		if (code == Code.OK || code == Code.NODEEXISTS || (this.lost && kind == ResultKind.REFUSED)) {
			this.state = State.MADE;
			if (this.left) {
				delete();
			}
			else {
				watch();
			}
		}
		else if (kind == ResultKind.LOST) {
			this.lost = true;
			whenSettled(this::make);
		}
		else if (code == Code.NONODE && !this.left) {
			makeParent();
		}
		else {
			nothingThere(State.REFUSED);
		}
	}

	private void nothingThere(State next) {
		this.state = next;
		this.lost = false;
		this.session.untrack(this);
	}

	private void makeParent() {
		String parent = this.source.paths().asks();
		this.session.requests()
			.create(parent, NOTHING, this.source.paths().aclOfRoot(), CreateMode.CONTAINER,
					(code, made, stat) -> this.steps.execute(() -> {
						if (code == Code.OK || code == Code.NODEEXISTS) {
							make();
						}
						else {
							nothingThere((code == Code.NONODE || ResultKind.of(code) == ResultKind.LOST) ? State.NONE
									: State.REFUSED);
						}
					}));
	}

	private void delete() {
		this.session.requests().delete(this.path, (code) -> {
			ResultKind kind = ResultKind.of(code);
			if (kind == ResultKind.LOST) {
				whenSettled(this::delete);
			}
			else if (kind == ResultKind.REFUSED) {
				this.session.afterRefusal(this.refusals++, () -> this.steps.execute(this::delete));
			}
			else {
				this.session.untrack(this);
			}
		});
	}

	// A session that has ended has no node any more
	private void whenSettled(Runnable step) {
		if (this.session.isLive()) {
			this.session.afterCommit(() -> this.steps.execute(step));
		}
	}

	private void watch() {
		if (this.watching == null) {
			this.watching = this.session.watches().watchNode(this.path, this);
		}
	}

	private void unwatch() {
		if (this.watching != null) {
			this.watching.leave();
			this.watching = null;
		}
	}

	@Override
	public void watching(byte @Nullable [] content, @Nullable Stat stat, @Nullable List<String> names) {
		this.steps.execute(() -> {
			String text = (content != null) ? new String(content, StandardCharsets.UTF_8) : null;
			HolderNote note = HolderNote.parse(text);
			String ask = (note != null) ? note.ask() : null;
			if (this.left || stat == null || text == null || note == null || ask == null || note.noticed()) {
				return;
			}
			answer(ask, note, stat.getVersion());
			if (!ask.equals(this.reported)) {
				this.reported = ask;
				this.found.accept(List.of(ContentionSource.asker(this.key, this.held, text, note.reason())));
			}
		});
	}

	// If there is another ask by now, that one is answered later
	private void answer(String ask, HolderNote note, int version) {
		Map<String, String> answer = new LinkedHashMap<>(Map.of("ask", ask, "noticed", "true"));
		if (note.reason() != null) {
			answer.put("reason", note.reason());
		}
		this.session.requests().multi(List.of(Op.setData(this.path, describe(answer), version)), (code, results) -> {
			if (ResultKind.of(code) == ResultKind.LOST) {
				this.steps.execute(this::unwatch);
			}
		});
	}

	private byte[] describe(Map<String, String> answer) {
		Map<String, String> fields = new LinkedHashMap<>();
		fields.put("id", this.id);
		fields.put("key", this.key);
		fields.putAll(answer);
		return this.source.identity().describe(fields);
	}

	@Override
	public void notWatching(Code code) {
		ended(code == Code.NONODE);
	}

	@Override
	public void changed(EventType type) {
		ended(type == EventType.NodeDeleted);
	}

	private void ended(boolean deleted) {
		this.steps.execute(() -> {
			unwatch();
			if (deleted && this.state == State.MADE) {
				nothingThere(State.NONE);
			}
		});
	}

	@Override
	public String id() {
		return this.id;
	}

	@Override
	public void sessionEnded() {
		// The node has gone with it, and who holds learns of the loss, and leaves
	}

}
