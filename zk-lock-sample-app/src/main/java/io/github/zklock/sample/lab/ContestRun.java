package io.github.zklock.sample.lab;

import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockHandle;
import io.github.zklock.sample.contest.ContestProgress;
import io.github.zklock.sample.contest.ContestReport;
import io.github.zklock.sample.contest.ContestSpec;
import io.github.zklock.sample.contest.QueueObserver.QueuedNode;

/**
 * A contest on a thread of its own.
 */
final class ContestRun {

	/*-
	 * The thread of the contest alone writes `ending`; those that watch read it. The lock that
	 * keeps contests apart is given back before, so that the next contest can begin at once.
	 */

	private final String id;

	private final ContestSpec spec;

	private final ContestProgress progress = new ContestProgress();

	private final LockHandle guard;

	private final Work work;

	private final Thread thread;

	private volatile @Nullable Ending ending;

	private volatile boolean cancelled;

	ContestRun(String id, ContestSpec spec, LockHandle guard, Work work, Notes notes) {
		this.id = id;
		this.spec = spec;
		this.guard = guard;
		this.work = work;
		this.thread = new Thread(() -> run(notes), "lab-contest");
		guard.onLost(() -> {
			notes.add("The lock that keeps contests apart was lost, so the contest is cancelled");
			cancel();
		});
	}

	void start() {
		this.thread.start();
	}

	private void run(Notes notes) {
		Ending result = compete();
		// It may have been cancelled too late to notice
		Thread.interrupted();
		try {
			this.guard.releaseAsync().get(2, TimeUnit.SECONDS);
		}
		catch (InterruptedException | ExecutionException | TimeoutException ex) {
			notes.add("ZooKeeper has not confirmed yet that the contest's lock is released");
		}
		finally {
			this.ending = result;
		}
		notes.add(result.inWords(this.spec));
	}

	// Whatever ends it, an error such as a lack of threads too: others wait for its lock
	private Ending compete() {
		try {
			return new Ending(Stage.FINISHED,
					RunView.of(this.work.run(this.id, this.spec, this.progress), this.progress, this.spec), null);
		}
		catch (InterruptedException ex) {
			return new Ending(Stage.CANCELLED, null, null);
		}
		catch (Throwable ex) {
			return this.cancelled ? new Ending(Stage.CANCELLED, null, null)
					: new Ending(Stage.FAILED, null, (ex.getMessage() != null) ? ex.getMessage() : ex.toString());
		}
	}

	void cancel() {
		this.cancelled = true;
		this.progress.cancel();
	}

	boolean isOver() {
		return this.ending != null;
	}

	void awaitEnd(long seconds) throws InterruptedException {
		this.thread.join(TimeUnit.SECONDS.toMillis(seconds));
	}

	List<QueuedNode> queue() {
		return this.progress.queue();
	}

	@Nullable RunView result() {
		Ending last = this.ending;
		return (last != null) ? last.result() : null;
	}

	ContestView view(int from) {
		Ending last = this.ending;
		Stage stage = (last != null) ? last.stage() : Stage.of(this.progress.phase(), this.cancelled);
		return ContestView.of(this.id, this.spec, stage, (last != null) ? last.failure() : null, this.progress, from);
	}

	/**
	 * What a contest is.
	 */
	interface Work {

		ContestReport run(String id, ContestSpec spec, ContestProgress progress) throws InterruptedException;

	}

	/**
	 * How far a contest is.
	 */
	enum Stage {

		CONNECTING, RUNNING, LEAVING, CANCELLING, FINISHED, CANCELLED, FAILED;

		static Stage of(ContestProgress.Phase phase, boolean cancelled) {
			if (cancelled) {
				return CANCELLING;
			}
			return switch (phase) {
				case CONNECTING -> CONNECTING;
				case RUNNING -> RUNNING;
				case LEAVING -> LEAVING;
			};
		}

	}

	private record Ending(Stage stage, @Nullable RunView result, @Nullable String failure) {

		String inWords(ContestSpec spec) {
			return switch (this.stage) {
				case FINISHED -> "The contest of %d clients is over".formatted(spec.clients());
				case CANCELLED -> "The contest was cancelled, and its clients have left";
				default -> "The contest failed: " + this.failure;
			};
		}

	}

}
