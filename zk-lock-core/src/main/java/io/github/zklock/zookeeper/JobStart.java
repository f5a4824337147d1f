package io.github.zklock.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.framework.api.transaction.CuratorTransactionResult;
import org.apache.curator.framework.api.transaction.OperationType;
import org.apache.curator.framework.api.transaction.TypeAndPath;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.inspect.JobRun;
import io.github.zklock.internal.client.JobMarks;
import io.github.zklock.internal.contender.NodeGrant;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.ResultKind;
import io.github.zklock.spi.Grant;

/**
 * One attempt to start a run of a job.
 */
final class JobStart implements JobMarks.Run {

	/*-
	 * READ the mark -> if it was started lately, as this client knows by itself: NOT DUE
	 *   -> STAMP: a transaction that writes the mark as it is; its time is the call's
	 *   -> if the last run was started lately: NOT DUE
	 *   -> START: a transaction that writes the new run, and the stamp as its time -> STARTED
	 *
	 * Both transactions check the node of the job's lock and the version that was read, so nobody starts a
	 * run without the lock, and none that others have started since is overlooked. A version that has
	 * changed, and an answer that was lost, lead back to READ: there a run of our own id shows that it was
	 * started. Answers come on any thread, one after the other.
	 *
	 * I1: no two runs of one mark are started within the time that the rule says, by the clock of one
	 *     leader; and with leaders of different clocks not by clients that have watched the mark.
	 * I2: a run that was started when nobody waits for it any more is taken back: its mark says again
	 *     what it said before.
	 * I3: the caller learns of it when the lock is lost or the client closed, also where no server
	 *     answers, and however long it would wait.
	 */

	private static final Logger log = LoggerFactory.getLogger(JobStart.class);

	/** After so many rounds others change the mark all the time. */
	private static final int MOST_ROUNDS = 50;

	private static final byte[] NOTHING = "{}".getBytes(StandardCharsets.UTF_8);

	private final String id = UUID.randomUUID().toString();

	private final ZooKeeperJobMarks marks;

	private final LockHandle handle;

	private final JobMarks.Rule rule;

	private final CompletableFuture<JobMarks.Attempt> outcome;

	private final String path;

	private List<Grant> grants = List.of();

	private @Nullable LockSession session;

	private @Nullable SeenMark seen;

	private int rounds;

	private boolean asked;

	private byte[] before = NOTHING;

	private volatile @Nullable JobRun run;

	private volatile int version;

	private volatile long startedAt;

	JobStart(ZooKeeperJobMarks marks, LockHandle handle, JobMarks.Rule rule,
			CompletableFuture<JobMarks.Attempt> outcome) {
		this.marks = marks;
		this.handle = handle;
		this.rule = rule;
		this.outcome = outcome;
		this.path = marks.paths().mark(handle.key());
	}

	static @Nullable JobRun parse(byte @Nullable [] content) {
		return (content != null) ? JobRun.parse(new String(content, StandardCharsets.UTF_8)) : null;
	}

	void begin(List<Grant> held) {
		guarded(() -> {
			if (held.isEmpty()) {
				throw lost();
			}
			if (!(held.get(0) instanceof NodeGrant first)) {
				throw new IllegalArgumentException(
						"The strategy of lock '%s' has no node in ZooKeeper that could be checked"
							.formatted(this.handle.key()));
			}
			this.grants = held;
			this.session = first.session();
			// A session that has ended answers nothing any more
			this.handle.onLost(() -> this.outcome.completeExceptionally(lost()));
			this.seen = this.marks.seen(this.path, first.session());
			read(first.session());
		});
	}

	/** Nothing is started any more. */
	void refuse() {
		this.outcome.completeExceptionally(new LockUnavailableException(
				"Job '%s' was not started: the lock client is closed".formatted(this.handle.key())));
	}

	private LockLostException lost() {
		return new LockLostException("Lock '%s' was lost before its job was started".formatted(this.handle.key()));
	}

	private void guarded(Runnable step) {
		try {
			step.run();
		}
		catch (Throwable ex) {
			this.outcome.completeExceptionally(ex);
		}
	}

	private void read(LockSession live) {
		if (this.outcome.isDone() && !this.asked) {
			return;
		}
		if (++this.rounds > MOST_ROUNDS) {
			this.outcome.completeExceptionally(unavailable("is changed by others all the time", null));
			return;
		}
		live.requests()
			.read(this.path, null, (code, content, stat) -> guarded(() -> answered(live, code, content, stat)));
	}

	private void answered(LockSession live, Code code, byte @Nullable [] content, @Nullable Stat stat) {
		if (code == Code.OK && stat != null) {
			JobRun last = parse(content);
			if (this.seen != null) {
				this.seen.saw(last);
			}
			if (last != null && last.id().equals(this.id)) {
				started(last, stat.getVersion());
			}
			else if (!this.outcome.isDone()) {
				decide(last, (content != null) ? content : NOTHING, stat.getVersion());
			}
		}
		else if (code == Code.NONODE) {
			create(live);
		}
		else if (ResultKind.of(code) == ResultKind.LOST) {
			live.afterCommit(() -> guarded(() -> read(live)));
		}
		else {
			this.outcome.completeExceptionally(unavailable("cannot be read", ResultKind.disturbance(code, this.path)));
		}
	}

	private void create(LockSession live) {
		Op mark = Op.create(this.path, NOTHING, this.marks.paths().acl(this.path), CreateMode.PERSISTENT);
		write(mark, OperationType.CREATE, (stat) -> read(live), () -> {
			String parent = this.marks.paths().jobs();
			live.requests()
				.create(parent, NOTHING, this.marks.paths().acl(parent), CreateMode.PERSISTENT,
						(code, made, stat) -> guarded(() -> read(live)));
		});
	}

	// What this client knows by itself needs no transaction.
	private void decide(@Nullable JobRun last, byte[] content, int current) {
		if (last != null && this.seen != null && this.seen.isRecent(last, this.rule.within())
				&& !this.rule.replaces(last)) {
			this.outcome.complete(new JobMarks.Attempt(null, last));
			return;
		}
		write(Op.setData(this.path, content, current), OperationType.SET_DATA, (stat) -> stamped(last, content, stat),
				this::readAgain);
	}

	private void stamped(@Nullable JobRun last, byte[] content, @Nullable Stat stat) {
		if (stat == null || this.outcome.isDone()) {
			readAgain();
		}
		else if (last != null && !isDue(last, stat.getMtime())) {
			this.outcome.complete(new JobMarks.Attempt(null, last));
		}
		else {
			start(last, content, stat);
		}
	}

	private boolean isDue(JobRun last, long stamp) {
		if (this.rule.replaces(last) || (this.seen != null && this.seen.isOld(last, this.rule.within()))) {
			return true;
		}
		boolean recent = this.seen != null && this.seen.isRecent(last, this.rule.within());
		return !recent && stamp - last.started().toEpochMilli() >= this.rule.within().toMillis();
	}

	private void start(@Nullable JobRun last, byte[] content, Stat stat) {
		long sentAt = this.marks.source().clock().getAsLong();
		JobRun next = new JobRun(this.handle.key(), (last != null) ? last.number() + 1 : 1, this.id,
				Instant.ofEpochMilli(stat.getMtime()), this.rule.within(), null, JobRun.RUNNING, null, null, null);
		this.asked = true;
		this.before = content;
		this.startedAt = sentAt;
		write(Op.setData(this.path, describe(next), stat.getVersion()), OperationType.SET_DATA, (written) -> {
			if (this.seen != null) {
				this.seen.started(next, sentAt);
			}
			started(next, (written != null) ? written.getVersion() : stat.getVersion() + 1);
		}, this::readAgain);
	}

	private byte[] describe(JobRun some) {
		Map<String, String> fields = new LinkedHashMap<>();
		fields.put("id", some.id());
		fields.put("key", some.key());
		fields.put("run", Long.toString(some.number()));
		fields.put("started", Long.toString(some.started().toEpochMilli()));
		fields.put("within", Long.toString(some.within().toMillis()));
		fields.put("outcome", some.outcome());
		if (some.took() != null) {
			fields.put("took", Long.toString(some.took().toMillis()));
		}
		return this.marks.source().identity().describe(fields);
	}

	private void started(JobRun started, int current) {
		this.run = started;
		this.version = current;
		LockSession live = this.session;
		if (live != null) {
			this.marks.seen(this.path, live); // It may not have been there before
			this.marks.tidy(live, started.started().toEpochMilli());
		}
		if (!this.outcome.complete(new JobMarks.Attempt(this, null))) {
			takeBack();
		}
	}

	private void readAgain() {
		LockSession live = this.session;
		if (live != null) {
			read(live);
		}
	}

	@SuppressWarnings("FutureReturnValueIgnored") // the stage has seen to the failure
	// Under a check of the lock's node. What fails for another reason leads to another
	// look.
	private void write(Op op, OperationType type, Consumer<@Nullable Stat> done, Runnable missing) {
		FencedTransaction transaction = new FencedTransaction(this.handle, List.of(new Raw(op, type)));
		transaction.under(this.grants);
		transaction.outcome().whenComplete((results, failure) -> guarded(() -> {
			if (results != null) {
				done.accept(results.isEmpty() ? null : statOf(results.get(0)));
			}
			else if (failure instanceof KeeperException.NoNodeException) {
				missing.run();
			}
			else if (failure instanceof KeeperException.BadVersionException
					|| failure instanceof KeeperException.NodeExistsException) {
				readAgain();
			}
			else if (failure instanceof LockUnavailableException && this.session != null) {
				this.session.afterCommit(() -> guarded(this::readAgain));
			}
			else {
				this.outcome.completeExceptionally((failure instanceof KeeperException refused)
						? unavailable("cannot be written", refused) : failure);
			}
		}));
	}

	private static @Nullable Stat statOf(CuratorTransactionResult result) {
		return result.getResultStat();
	}

	private LockUnavailableException unavailable(String why, @Nullable Exception cause) {
		return new LockUnavailableException("The mark of job '%s' %s".formatted(this.handle.key(), why), cause);
	}

	// --- its end ---

	@Override
	public void ended(String how) {
		JobRun started = this.run;
		if (started != null) {
			Duration took = Duration.ofNanos(this.marks.source().clock().getAsLong() - this.startedAt);
			put(describe(new JobRun(started.key(), started.number(), started.id(), started.started(), started.within(),
					took, how, null, null, null)));
		}
	}

	@Override
	public void takeBack() {
		put(this.before);
	}

	// Only if nobody has written since, so also without the lock.
	private void put(byte[] content) {
		LockSession live = this.session;
		if (live != null && live.isLive()) {
			live.requests().multi(List.of(Op.setData(this.path, content, this.version)), (code, results) -> {
				if (code != Code.OK) {
					log.debug("The end of job '{}' was not written ({})", this.handle.key(), code);
				}
			});
		}
	}

	/**
	 * An operation as Curator has them.
	 *
	 * @param op the operation
	 * @param type its type
	 */
	private record Raw(Op op, OperationType type) implements CuratorOp {

		@Override
		public TypeAndPath getTypeAndPath() {
			return new TypeAndPath(this.type, this.op.getPath());
		}

		@Override
		public Op get() {
			return this.op;
		}

	}

}
