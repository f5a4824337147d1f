package io.github.zklock.internal.session;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

import org.apache.zookeeper.KeeperException.Code;

import io.github.zklock.internal.concurrent.GrowingPause;
import io.github.zklock.internal.concurrent.OwnedSteps;
import io.github.zklock.internal.concurrent.SerialExecutor;
import io.github.zklock.internal.concurrent.Timer;

/**
 * Lets steps wait until what we read is as new as what we lost; repeats until a server
 * answers.
 */
final class CommitBarrier {

	/*-
	 * After an answer was lost nobody knows whether the request was handled, and the server
	 * that we talk to next may not have seen it yet. A transaction that is sent after the loss
	 * was noticed travels on a connection that was made after it; once it is answered, the
	 * request has either been applied or will never be (the leader refuses what an earlier
	 * connection of the session left behind at another server, and the same server handles both
	 * in order), and every later read on this session sees the outcome. This is not ZooKeeper's
	 * `sync`: a leader answers that to its own clients before it has applied all that it has
	 * committed, and one that was replaced, and does not know it yet, all alone. Nor is it
	 * Curator's DistributedBarrier.
	 *
	 * I1: a step runs only after the answer to a transaction that was sent after the step was
	 *     brought.
	 * I2: at most one is under way; those who come meanwhile share the next one.
	 * I3: when the session has ended nothing runs; those who wait learn of the end otherwise.
	 * I4: a step that fails does not take those after it along; and where a step of the barrier's
	 *     own fails, those who wait go on waiting, and a transaction is sent after a pause; where that
	 *     cannot be timed either, with the next step that is brought.
	 * I5: after an answer that says nothing, to whatever request, the next transaction is sent
	 *     only after a pause: a server that is overloaded may answer the transaction at once,
	 *     and what is then asked again with the same words, and so on. The pause grows until a
	 *     transaction is sent without one.
	 * All state but `pausing`, which any answer sets, is confined to the serial executor.
	 */

	private final OwnedSteps steps;

	private final SessionRequests requests;

	private final BooleanSupplier live;

	private final Timer timer;

	private List<Runnable> next = new ArrayList<>();

	private final GrowingPause pause = new GrowingPause(0, Duration.ofMillis(40), Duration.ofSeconds(1));

	private boolean underWay;

	/** Who was timed before this last changed sends nothing any more. */
	private int timed;

	private volatile boolean pausing;

	/**
	 * Creates a barrier.
	 * @param requests those of the session
	 * @param timer starts what is due later
	 * @param live whether the session has not ended
	 */
	CommitBarrier(SessionRequests requests, Timer timer, BooleanSupplier live) {
		this.steps = new SerialExecutor(timer.failures()).of(this, (failure) -> sendLater());
		this.requests = requests;
		this.timer = timer;
		this.live = live;
	}

	/**
	 * Runs a step once a transaction has been answered that is sent from now on.
	 * @param step what to do; runs on an engine thread
	 */
	void pass(Runnable step) {
		List<Runnable> waiting = new ArrayList<>(List.of(step));
		orKeep(waiting).execute(() -> {
			keep(waiting);
			if (!this.underWay) {
				sendInTime();
			}
		});
	}

	private OwnedSteps orKeep(List<Runnable> waiting) {
		return this.steps.orElse((failure) -> {
			keep(waiting);
			sendLater();
		});
	}

	private void keep(List<Runnable> waiting) {
		this.next.addAll(waiting);
		waiting.clear();
	}

	/**
	 * A server gave an answer that says nothing: lets it rest before it is asked again.
	 */
	void pause() {
		this.pausing = true;
	}

	private void sendInTime() {
		if (this.pausing) {
			sendLater();
		}
		else {
			this.pause.reset();
			send();
		}
	}

	private void sendLater() {
		this.underWay = true;
		this.timed++;
		int awaited = this.timed;
		try {
			Runnable sending = () -> this.steps.execute(() -> sendTimed(awaited));
			this.timer.later(this.pause.next(), () -> this.requests.bring(sending));
		}
		catch (Throwable ex) {
			this.timed++; // It may have been timed all the same
			this.underWay = false;
			throw ex;
		}
	}

	private void sendTimed(int awaited) {
		if (this.timed == awaited) {
			send();
		}
	}

	private void send() {
		List<Runnable> sent = this.next;
		List<Runnable> empty = new ArrayList<>();
		this.timed++;
		this.pausing = false;
		this.underWay = true;
		this.requests.passQuorum((code) -> orKeep(sent).execute(() -> answered(code, sent)));
		this.next = empty;
	}

	private void answered(Code code, List<Runnable> waiting) {
		this.underWay = false;
		if (!this.live.getAsBoolean()) {
			return;
		}
		if (code == Code.OK) {
			List<Runnable> passed = List.copyOf(waiting);
			waiting.clear();
			passed.forEach((step) -> this.steps.failures().contain(this, step));
			if (!this.next.isEmpty()) {
				sendInTime();
			}
			return;
		}
		keep(waiting);
		sendLater();
	}

}
