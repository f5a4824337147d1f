package io.github.zklock.internal.session;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.session.SessionRequests.Listed;

/**
 * Lists the children of several nodes of one session with few requests.
 */
final class JointLists {

	/*-
	 * The answer for several is as large as all of theirs, and one that is larger than a packet may be
	 * costs the connection. So few are listed together; and each by itself for a while after such an
	 * answer was lost, because who had asked for it will look again. So it is after a refusal: a server
	 * from 3.9.7 on has bounds of its own, `multiRead.maxOps` and `multiRead.maxResponseBytes`. One before
	 * 3.6 has no such request, and ends the connection, too: there each is listed by itself from then on.
	 */

	private static final int MOST = 8;

	private static final long WHILE_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final ZooKeeper zooKeeper;

	private final SessionRequests requests;

	private final LongSupplier clock;

	private volatile boolean unknown;

	private volatile @Nullable Long lostAt;

	/**
	 * Creates what has asked for nothing yet.
	 * @param zooKeeper the session's handle
	 * @param requests the session's requests
	 * @param clock the monotonic clock
	 */
	JointLists(ZooKeeper zooKeeper, SessionRequests requests, LongSupplier clock) {
		this.zooKeeper = zooKeeper;
		this.requests = requests;
		this.clock = clock;
	}

	/**
	 * Lists the children of several nodes.
	 * @param paths the nodes
	 * @param then gets the answers, in the order of the paths
	 */
	void list(List<String> paths, List<Listed> then) {
		int most = isEachByItself() ? 1 : MOST;
		for (int from = 0; from < paths.size(); from += most) {
			int to = Math.min(from + most, paths.size());
			if (to - from == 1) {
				this.requests.children(paths.get(from), null, then.get(from));
			}
			else {
				listTogether(paths.subList(from, to), then.subList(from, to));
			}
		}
	}

	private boolean isEachByItself() {
		Long lost = this.lostAt;
		return this.unknown || (lost != null && this.clock.getAsLong() - lost < WHILE_NANOS);
	}

	private void listTogether(List<String> paths, List<Listed> then) {
		long sentAt = this.clock.getAsLong();
		List<Op> lists = new ArrayList<>(paths.size());
		List<Runnable> orElse = new ArrayList<>(paths.size());
		for (int i = 0; i < paths.size(); i++) {
			Listed listed = then.get(i);
			lists.add(Op.getChildren(paths.get(i)));
			orElse.add(() -> listed.answered(Code.SYSTEMERROR, null, null));
		}
		this.zooKeeper.multi(lists, (rc, given, context, results) -> {
			for (int i = 0; i < paths.size(); i++) {
				try {
					Code code = (i == 0) ? answered(rc, sentAt) : ResultKind.code(rc);
					boolean whole = results != null && results.size() == paths.size();
					answer(then.get(i), code, whole ? results.get(i) : null);
				}
				catch (Throwable ex) {
					this.requests.unhandled(ex, orElse.get(i));
				}
			}
		}, null);
	}

	private Code answered(int rc, long sentAt) {
		Code code = this.requests.read(rc, sentAt);
		if (code == Code.CONNECTIONLOSS || ResultKind.of(code) == ResultKind.REFUSED) {
			this.lostAt = this.clock.getAsLong();
		}
		this.unknown |= code == Code.UNIMPLEMENTED;
		return code;
	}

	private static void answer(Listed then, Code code, @Nullable OpResult result) {
		if (result instanceof OpResult.GetChildrenResult list) {
			then.answered(Code.OK, list.getChildren(), null);
		}
		else if (result instanceof OpResult.ErrorResult error) {
			then.answered(ResultKind.code(error.getErr()), null, null);
		}
		else {
			then.answered((ResultKind.of(code) == ResultKind.REFUSED) ? Code.CONNECTIONLOSS : code, null, null);
		}
	}

}
