package io.github.zklock.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.github.zklock.LockHandle;
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
final class JobStart {

	/*-
	 * READ the mark -> if it was started lately, as this client knows by itself: NOT DUE
	 *   -> STAMP: a transaction that writes the mark as it is; its time is the call's
	 *   -> if the last run was started lately: NOT DUE; if it is still to be started, by the clock of this
	 *      leader: a transaction that notes since when it is old by such a clock -> NOT DUE
	 *   -> START: a transaction that writes the new run, and the stamp as its time -> STARTED
	 *
	 * All these transactions check the node of the job's lock and the version that was read, so nobody starts a
	 * run without the lock, and none that others have started since is overlooked. A version that has
	 * changed, and an answer that was lost, lead back to READ: there a run of our own id shows that it was
	 * started. Where that look is refused, or there were too many, nobody knows: the caller learns that at
	 * once, and READ follows later. A run of this client that goes on is not stamped: its end is written by
	 * the version. One of which this client does not know yet what becomes of it is awaited. Answers come on
	 * any thread, one after the other.
	 *
	 * I1: no two runs of one mark are started within the time that the rule says, by the clock of one
	 *     leader; with leaders of different clocks, clients that have watched the mark in their session
	 *     of today start none more than a session time-out too early.
	 * I2: a run that was started when nobody waits for it any more is taken back: its mark says again
	 *     what it said before, and the lock is released after that; unless the lock was lost, and then
	 *     it may be taken back late, or not; or the servers refuse that where nobody takes over (`OwnRun`).
	 * I3: the caller learns of it when the lock is lost or the client closed, also where no server
	 *     answers, and however long it would wait.
	 * I4: a run of this client that goes on is not taken over by it.
	 */

	/** After so many rounds others change the mark all the time. */
	private static final int MOST_ROUNDS = 50;

	private static final byte[] NOTHING = "{}".getBytes(StandardCharsets.UTF_8);

	private final ZooKeeperJobMarks marks;

	private final LockHandle handle;

	private final JobMarks.Rule rule;

	private final Supplier<Duration> age;

	private final CompletableFuture<JobMarks.Attempt> outcome;

	private final String path;

	private final List<Grant> grants;

	private final LockSession session;

	private final SeenMark seen;

	private final OwnRun own;

	private int rounds;

	/** Whether it may have been started. */
	private boolean asked;

	private int refusals;

	private JobStart(ZooKeeperJobMarks marks, LockHandle handle, JobMarks.Rule rule, Supplier<Duration> age,
			CompletableFuture<JobMarks.Attempt> outcome, List<Grant> grants, LockSession session) {
		this.marks = marks;
		this.handle = handle;
		this.rule = rule;
		this.age = age;
		this.outcome = outcome;
		this.path = marks.paths().mark(handle.key());
		this.grants = grants;
		this.session = session;
		this.seen = marks.seen(this.path, session);
		this.own = new OwnRun(marks, handle, rule, session, this.path);
	}

	/**
	 * Begins to start a run.
	 * @param marks of this client
	 * @param handle the job's lock
	 * @param rule when it may be started
	 * @param age how old the last run is at least, where the end of that does not matter:
	 * the more, the later it is asked
	 * @param outcome completes with what came of it
	 * @param held what the handle has
	 * @return completes when nothing is under way any more
	 */
	static CompletionStage<Void> begin(ZooKeeperJobMarks marks, LockHandle handle, JobMarks.Rule rule,
			Supplier<Duration> age, CompletableFuture<JobMarks.Attempt> outcome, List<Grant> held) {
		if (held.isEmpty()) {
			throw JobMarks.withoutLock(handle);
		}
		if (!(held.get(0) instanceof NodeGrant first)) {
			throw new IllegalArgumentException(
					"The strategy of lock '%s' has no node in ZooKeeper that could be checked".formatted(handle.key()));
		}
		JobStart start = new JobStart(marks, handle, rule, age, outcome, held, first.session());
		// A session that has ended answers nothing any more
		handle.onLost(() -> {
			outcome.completeExceptionally(JobMarks.withoutLock(handle));
			start.own.lost();
		});
		start.guarded(start::read);
		return start.own.over();
	}

	private void guarded(Runnable step) {
		try {
			step.run();
		}
		catch (Throwable ex) {
			fail(ex);
		}
	}

	private void fail(Throwable cause) {
		boolean unknown = this.asked && this.session.isLive();
		if (!unknown) {
			this.own.over().complete(null);
		}
		this.outcome.completeExceptionally(cause);
		if (unknown) {
			this.session.afterRefusal(this.refusals++, () -> guarded(this::read));
		}
	}

	private void notDue(JobRun last) {
		this.own.over().complete(null);
		this.outcome.complete(new JobMarks.Attempt(null, last));
	}

	private void read() {
		if (this.outcome.isDone() && !this.asked) {
			this.own.over().complete(null);
		}
		else if (++this.rounds > MOST_ROUNDS && !this.outcome.isDone()) {
			fail(unavailable("is changed by others all the time", null));
		}
		else {
			this.session.requests()
				.read(this.path, null, (code, content, stat) -> guarded(() -> answered(code, content, stat)));
		}
	}

	private void answered(Code code, byte @Nullable [] content, @Nullable Stat stat) {
		JobRun last = OwnRun.parse(content);
		if (ResultKind.of(code) == ResultKind.LOST) {
			this.session.afterCommit(() -> guarded(this::read));
		}
		else if (code != Code.OK && code != Code.NONODE) {
			fail(unavailable("cannot be read", ResultKind.disturbance(code, this.path)));
		}
		else if (stat != null && last != null && last.id().equals(this.own.id())) {
			this.seen.saw(last);
			started(last, stat.getVersion());
		}
		else {
			this.asked = false;
			notStarted(last, content, stat);
		}
	}

	private void notStarted(@Nullable JobRun last, byte @Nullable [] content, @Nullable Stat stat) {
		if (this.outcome.isDone()) {
			this.own.over().complete(null);
		}
		else if (stat == null) {
			create();
		}
		else {
			this.seen.saw(last);
			decide(last, (content != null) ? content : NOTHING, stat.getVersion());
		}
	}

	private void create() {
		Op mark = Op.create(this.path, NOTHING, this.marks.paths().aclOf(this.handle.key()), CreateMode.PERSISTENT);
		write(mark, (stat) -> read(), this::createParent);
	}

	private void createParent() {
		String parent = this.marks.paths().jobs();
		this.session.requests()
			.create(parent, NOTHING, this.marks.paths().aclOfRoot(), CreateMode.PERSISTENT,
					(code, made, stat) -> guarded(() -> {
						if (ResultKind.of(code) == ResultKind.REFUSED) {
							fail(unavailable("cannot be made", ResultKind.disturbance(code, parent)));
						}
						else if (ResultKind.of(code) == ResultKind.LOST) {
							this.session.afterCommit(() -> guarded(this::read));
						}
						else {
							read();
						}
					}));
	}

	// What this client knows by itself needs no transaction. How old the last run is, and
	// has to be, is asked before the stamp, whose answer may take long, and not before
	// what is read, which may take long too.
	private void decide(@Nullable JobRun last, byte[] content, int current) {
		OwnRun former = (last != null) ? this.marks.own(last.id(), this.session) : null;
		boolean goesOn = former != null && former.isRunning();
		if (former != null && !goesOn) {
			readBehind(former);
			return;
		}
		Duration dueAt = this.age.get();
		boolean old = last == null || this.seen.isOld(last, dueAt);
		boolean replaced = last != null && !goesOn && this.rule.replaces(last);
		if (last != null && !replaced && (goesOn ? !old : this.seen.isRecent(last, dueAt))) {
			notDue(last);
			return;
		}
		write(Op.setData(this.path, content, current),
				(stat) -> stamped(last, (old || replaced) ? Duration.ZERO : dueAt, content, stat), this::read);
	}

	@SuppressWarnings("FutureReturnValueIgnored") // it never fails
	private void readBehind(OwnRun former) {
		former.over().thenRun(() -> guarded(this::read));
	}

	// A last run that does not matter is due at the age of zero
	private void stamped(@Nullable JobRun last, Duration dueAt, byte[] content, @Nullable Stat stat) {
		if (stat == null || this.outcome.isDone()) {
			read();
		}
		else if (last == null || dueAt.isZero()) {
			start(last, content, stat);
		}
		else {
			long passed = stat.getMtime() - OwnRun.since(last, content, stat.getMtime());
			if (passed < 0) {
				note(last, content, stat);
			}
			else if (isDue(last, dueAt, Duration.ofMillis(passed))) {
				start(last, content, stat);
			}
			else {
				notDue(last);
			}
		}
	}

	// A leader whose clock says more than can have passed has another clock than that
	// run's
	private boolean isDue(JobRun last, Duration dueAt, Duration passed) {
		return passed.compareTo(dueAt) >= 0 && passed.compareTo(this.seen.atMost(last)) <= 0;
	}

	// Or it would start no run until the clock of this leader says when that run was
	// started
	private void note(JobRun last, byte[] content, Stat stat) {
		byte[] noted = OwnRun.noted(last, content, stat.getMtime());
		write(Op.setData(this.path, noted, stat.getVersion()), (written) -> notDue(last), this::read);
	}

	private void start(@Nullable JobRun last, byte[] content, Stat stat) {
		this.asked = true;
		this.marks.add(this.own);
		JobRun next = this.own.ask(content, last, stat.getMtime(), this.rule.within());
		write(Op.setData(this.path, this.own.describe(next), stat.getVersion()), (written) -> {
			this.seen.started(next, this.own.askedAt());
			started(next, (written != null) ? written.getVersion() : stat.getVersion() + 1);
		}, this::read);
	}

	private void started(JobRun started, int current) {
		this.asked = false;
		this.own.began(started, current);
		if (!this.outcome.complete(new JobMarks.Attempt(this.own, null))) {
			this.own.takeBack();
		}
		this.marks.seen(this.path, this.session); // It may not have been there before
		this.marks.tidy(this.session, started.started().toEpochMilli());
	}

	// Under a check of the lock's node. What fails for another reason leads to another
	// look
	@SuppressWarnings("FutureReturnValueIgnored") // the stage has seen to the failure
	private void write(Op op, Consumer<@Nullable Stat> done, Runnable missing) {
		FencedTransaction transaction = new FencedTransaction(this.handle, List.of(op));
		transaction.under(this.grants);
		transaction.outcome().whenComplete((results, failure) -> guarded(() -> {
			this.own.under(transaction.checks());
			if (results != null) {
				done.accept((results.get(0) instanceof OpResult.SetDataResult set) ? set.getStat() : null);
			}
			else if (failure instanceof KeeperException.NoNodeException) {
				missing.run();
			}
			else if (failure instanceof KeeperException.BadVersionException
					|| failure instanceof KeeperException.NodeExistsException) {
				read();
			}
			else if (failure instanceof LockUnavailableException) {
				this.session.afterCommit(() -> guarded(this::read));
			}
			else {
				this.asked = false;
				fail((failure instanceof KeeperException refused) ? unavailable("cannot be written", refused)
						: JobMarks.unstarted(this.handle, failure));
			}
		}));
	}

	private LockUnavailableException unavailable(String why, @Nullable Exception cause) {
		return new LockUnavailableException("The mark of job '%s' %s".formatted(this.handle.key(), why), cause);
	}

}
