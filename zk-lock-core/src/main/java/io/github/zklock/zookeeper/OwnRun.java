package io.github.zklock.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.inspect.JobRun;
import io.github.zklock.internal.client.JobMarks;
import io.github.zklock.internal.node.NodeContent;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.ResultKind;
import io.github.zklock.internal.session.SessionMember;

/**
 * A run of a job that this client starts, and what its mark says when it is over.
 */
final class OwnRun implements JobMarks.Run, SessionMember {

	/*-
	 * ASKED (nobody knows whether it was started) -> RUNNING -> ENDING -> OVER; ASKED -> OVER
	 *
	 * ENDING: the mark is written once more, with how the run has ended or with what was there before it.
	 * As long as the lock's node is there nobody else has started a run, so one transaction checks that node
	 * and the version that was written. Without the lock, after a lost answer, and where the node has gone
	 * or the version has changed, the mark is read before: others may have started a run since, also of a
	 * mark that was removed and made again, whose versions begin anew. A naive lock's node may be another's
	 * at the same path, so there an operator who removes mark and lock can still make it of the wrong run.
	 *
	 * What is refused is tried again later, as long as the session lives. The lock is held until then only
	 * where others would start a run in the stead of one that has not ended.
	 *
	 * Answers and the run's end come on any thread.
	 *
	 * I1: the mark is written only where it was found to be of this run, or could not have changed.
	 * I2: `over` completes when nothing is under way any more, or when the lock is lost and the run does not
	 *     go on: a session that has ended may leave a step open. `lost` looks at `running` after it has set
	 *     `lockLost`, and the end looks at `lockLost` after it has changed `running`. The lock of a run that
	 *     is ENDING has no handle any more that would report a loss, so the session notifies of its end.
	 */

	private static final Logger log = LoggerFactory.getLogger(OwnRun.class);

	/**
	 * Before the time by the clock of a leader for which the run is still to be started.
	 */
	private static final String BEHIND = ",\"behind\":\"";

	private static final String END = "\"}";

	private final String id = UUID.randomUUID().toString();

	private final CompletableFuture<Void> over = new CompletableFuture<>();

	private final ZooKeeperJobMarks marks;

	private final LockHandle handle;

	private final JobMarks.Rule rule;

	private final LockSession session;

	private final String path;

	private volatile byte[] before = {};

	private volatile List<Op> checks = List.of();

	private volatile long askedAt;

	private volatile boolean running;

	private volatile boolean lockLost;

	private volatile @Nullable JobRun run;

	private volatile int version;

	private volatile int refusals;

	OwnRun(ZooKeeperJobMarks marks, LockHandle handle, JobMarks.Rule rule, LockSession session, String path) {
		this.marks = marks;
		this.handle = handle;
		this.rule = rule;
		this.session = session;
		this.path = path;
	}

	@Override
	public String id() {
		return this.id;
	}

	CompletableFuture<Void> over() {
		return this.over;
	}

	/**
	 * Returns whether its caller does the work.
	 * @return false if it was not started yet, or has ended
	 */
	boolean isRunning() {
		return this.running;
	}

	boolean isIn(LockSession some) {
		return this.session == some && some.isLive();
	}

	long askedAt() {
		return this.askedAt;
	}

	/**
	 * It is about to be started.
	 * @param content what the mark says instead
	 * @param last the run before it; null if there was none
	 * @param stamp when it is started by the clock of the leader, in milliseconds
	 * @param within for how long it is not started again
	 * @return what the mark is to say
	 */
	JobRun ask(byte[] content, @Nullable JobRun last, long stamp, Duration within) {
		this.before = content;
		this.askedAt = this.marks.source().clock().getAsLong();
		return new JobRun(this.handle.key(), (last != null) ? last.number() + 1 : 1, this.id,
				Instant.ofEpochMilli(stamp), within, null, JobRun.RUNNING, null, null, null);
	}

	/**
	 * It is being started.
	 * @param lockNode the checks of the lock's node
	 */
	void under(List<Op> lockNode) {
		this.checks = lockNode;
	}

	/**
	 * It was started.
	 * @param started what its mark says
	 * @param current the mark's version
	 */
	void began(JobRun started, int current) {
		this.run = started;
		this.version = current;
		this.running = true;
	}

	/** Its lock was lost. */
	void lost() {
		this.lockLost = true;
		if (!this.running) {
			this.over.complete(null);
		}
	}

	byte[] describe(JobRun some) {
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

	static @Nullable JobRun parse(byte @Nullable [] content) {
		return JobRun.parse(NodeContent.text(content));
	}

	/**
	 * Returns since when the last run has been old.
	 * @param last the run
	 * @param content what its mark says
	 * @param stamp the time of the leader of today, in milliseconds
	 * @return when the run was started; if that is after the stamp, when it was first
	 * called old by a leader whose clock is behind. After the stamp if no leader with
	 * such a clock has
	 */
	static long since(JobRun last, byte[] content, long stamp) {
		long started = last.started().toEpochMilli();
		String text = new String(content, StandardCharsets.UTF_8);
		int note = text.lastIndexOf(BEHIND);
		if (started <= stamp || note < 0 || !text.endsWith(END)) {
			return started;
		}
		try {
			return Long.parseLong(text, note + BEHIND.length(), text.length() - END.length(), 10);
		}
		catch (NumberFormatException ex) {
			return started; // Nobody of this kind wrote it
		}
	}

	/**
	 * Notes that the last run is old from now on, by a clock that is behind.
	 * @param last the run
	 * @param content what its mark says
	 * @param stamp the time of the leader of today, in milliseconds
	 * @return what it is to say
	 */
	static byte[] noted(JobRun last, byte[] content, long stamp) {
		log.warn("The mark of job '{}' says that it was started at {}, but for the servers' leader it is {}",
				LockException.printable(last.key()), last.started(), Instant.ofEpochMilli(stamp));
		String text = new String(content, StandardCharsets.UTF_8);
		int note = text.lastIndexOf(BEHIND);
		String said = text.substring(0, (note >= 0) ? note : text.lastIndexOf('}'));
		return (said + BEHIND + stamp + END).getBytes(StandardCharsets.UTF_8);
	}

	@Override
	public CompletionStage<Void> ended(String how, boolean held) {
		guarded(() -> {
			JobRun started = Objects.requireNonNull(this.run);
			Duration took = Duration.ofNanos(this.marks.source().clock().getAsLong() - this.askedAt);
			end(describe(new JobRun(started.key(), started.number(), started.id(), started.started(), started.within(),
					took, how, null, null, null)), held);
		});
		return this.over;
	}

	@Override
	public void takeBack() {
		guarded(() -> end(this.before, this.handle.isHeld()));
	}

	@SuppressWarnings("FutureReturnValueIgnored") // only clears up
	private void end(byte[] content, boolean held) {
		this.running = false;
		this.session.track(this);
		this.over.thenRun(() -> this.session.untrack(this));
		if (this.lockLost) {
			sessionEnded();
		}
		if (this.session.isLive() && held) {
			write(content, this.version, this.checks);
		}
		else if (this.session.isLive()) {
			readAndWrite(content);
		}
	}

	@Override
	public void sessionEnded() {
		this.over.complete(null);
	}

	private void guarded(Runnable step) {
		try {
			step.run();
		}
		catch (Throwable ex) {
			try {
				log.warn("The end of job '{}' was not noted", LockException.printable(this.handle.key()), ex);
			}
			finally {
				this.over.complete(null);
			}
		}
	}

	private void write(byte[] content, int expected, List<Op> lockNode) {
		List<Op> request = new ArrayList<>(lockNode);
		request.add(Op.setData(this.path, content, expected));
		this.session.requests().multi(request, (code, results) -> guarded(() -> {
			if (code == Code.BADVERSION || code == Code.NONODE) {
				readAndWrite(content);
			}
			else {
				answered(code, content);
			}
		}));
	}

	private void readAndWrite(byte[] content) {
		this.session.requests().read(this.path, null, (code, found, stat) -> guarded(() -> {
			JobRun last = parse(found);
			if (code == Code.OK && stat != null && last != null && last.id().equals(this.id)
					&& !Arrays.equals(found, content)) {
				write(content, stat.getVersion(), List.of());
			}
			else {
				answered(code, content);
			}
		}));
	}

	private void answered(Code code, byte[] content) {
		ResultKind kind = ResultKind.of(code);
		if (kind == ResultKind.LOST) {
			this.session.afterCommit(() -> guarded(() -> readAndWrite(content)));
		}
		else if (kind == ResultKind.REFUSED) {
			int before = this.refusals;
			this.refusals = before + 1;
			if (before == 0) {
				log.warn(
						"The server refuses to note the end of job '{}' at {} ({}); that is tried again until {} ends{}",
						LockException.printable(this.handle.key()), this.path, code, this.session,
						this.rule.takesOver() ? ", and the job's lock is held until then" : "");
			}
			if (!this.rule.takesOver()) {
				this.over.complete(null);
			}
			this.session.afterRefusal(before, () -> guarded(() -> readAndWrite(content)));
		}
		else {
			if (code != Code.OK) {
				log.debug("The end of job '{}' was not noted ({})", this.handle.key(), code);
			}
			this.over.complete(null);
		}
	}

}
