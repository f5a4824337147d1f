package io.github.zklock.internal.concurrent;

import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * Runs a step inside several serial executors at once.
 */
public final class JoinedSteps {

	/*-
	 * A step is brought to one serial executor, and from inside it to the next. One that is idle runs it
	 * at once, on the same thread, so that all before it are kept meanwhile. One that is busy runs it
	 * later, on another thread, when those before it have gone on: then all begins again, with that
	 * one first. Nothing waits, so nothing can wait in a circle.
	 *
	 * I1: the step runs once, and while it runs no other step of any of the serial executors does.
	 */

	private final List<OwnedSteps> all;

	private final Runnable step;

	private JoinedSteps(List<OwnedSteps> all, Runnable step) {
		this.all = all;
		this.step = step;
	}

	/**
	 * Runs a step soon.
	 * @param owners bring steps to the serial executors, of which several may be the
	 * same; at least one
	 * @param step what to do; what it throws leads one of the owners to its failed end
	 */
	public static void run(Collection<OwnedSteps> owners, Runnable step) {
		IdentityHashMap<Executor, OwnedSteps> distinct = new IdentityHashMap<>();
		owners.forEach((owner) -> distinct.putIfAbsent(owner.executor(), owner));
		JoinedSteps joined = new JoinedSteps(List.copyOf(distinct.values()), step);
		OwnedSteps first = joined.all.get(0);
		first.execute(() -> joined.inside(first));
	}

	private void inside(OwnedSteps first) {
		List<OwnedSteps> others = new ArrayList<>(this.all);
		others.remove(first);
		enter(others, 0);
	}

	private void enter(List<OwnedSteps> others, int index) {
		if (index == others.size()) {
			this.step.run();
			return;
		}
		OwnedSteps next = others.get(index);
		Visit visit = new Visit(Thread.currentThread());
		next.execute(() -> {
			if (visit.isGoingOn()) {
				enter(others, index + 1);
			}
			else {
				inside(next);
			}
		});
		visit.over = true;
	}

	/** The time in which a thread is inside the serial executors so far. */
	private static final class Visit {

		private final Thread thread;

		/** Read by the same thread only. */
		private boolean over;

		private Visit(Thread thread) {
			this.thread = thread;
		}

		boolean isGoingOn() {
			return Thread.currentThread() == this.thread && !this.over;
		}

	}

}
