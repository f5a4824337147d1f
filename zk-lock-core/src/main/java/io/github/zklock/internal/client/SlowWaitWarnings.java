package io.github.zklock.internal.client;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.LockException;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.LockAttempt;

/**
 * Warns of callers that wait for long, once in a time for each key, however many wait for
 * it: each warning asks the servers who holds the key.
 */
final class SlowWaitWarnings {

	/*-
	 * When each key was asked about last, the earliest first. Waits come due on the timer's
	 * thread, so the monitor is free nearly always; it is held while the map is changed only.
	 *
	 * What is older than the interval is forgotten, and there are at most MOST_KEYS: beyond
	 * that no other key is warned of until one is forgotten.
	 *
	 * I1: a key has at most one question to the servers open that is not older than the
	 *     interval.
	 * I2: a question whose caller is decided before the answer has warned nobody. It is asked
	 *     for the next of those who came due meanwhile, and forgotten if none of them waits.
	 * I3: a question knows MOST_LATER of those at most; who is decided makes room.
	 * I4: where no more is known than that ZooKeeper does not answer, as in an outage, one key
	 *     is warned of in an interval. The others may be asked about again, and the next such warning, if it
	 *     comes within another interval, says how many they were.
	 */

	private static final Logger log = LoggerFactory.getLogger(SlowWaitWarnings.class);

	private static final int MOST_KEYS = 1000;

	private static final int MOST_LATER = 100;

	private final Map<String, Question> asked = new LinkedHashMap<>();

	private final Set<String> unanswered = new HashSet<>();

	private final Duration limit;

	private final long interval;

	private final Executor executor;

	private final LongSupplier clock;

	private @Nullable Long unansweredAt;

	/**
	 * Creates warnings.
	 * @param limit after how long a wait is slow; zero for never
	 * @param interval in which time a key is warned of once; zero for each call
	 * @param executor where the warnings are logged
	 * @param clock the monotonic clock
	 */
	SlowWaitWarnings(Duration limit, Duration interval, Executor executor, LongSupplier clock) {
		this.limit = limit;
		this.interval = interval.toNanos();
		this.executor = executor;
		this.clock = clock;
	}

	/**
	 * Warns of a caller when the time has come, unless that was done for its key lately.
	 * @param acquisition the caller's call
	 * @param attempt what it waits for
	 */
	void watch(Acquisition acquisition, LockAttempt attempt) {
		if (!this.limit.isZero()) {
			acquisition.warnIfSlow(this.limit.toNanos(), () -> report(acquisition, attempt));
		}
	}

	private void report(Acquisition acquisition, LockAttempt attempt) {
		Blocker blocker = acquisition.blocker();
		ask((blocker != null) ? blocker.key() : attempt.keys().get(0),
				new SlowWaitWarning(acquisition, attempt, this.limit, this.executor));
	}

	private void ask(String key, SlowWaitWarning warning) {
		Question question = new Question(this.clock.getAsLong());
		if (warning.isNeeded() && isDue(key, question, warning)) {
			report(key, question, warning);
		}
	}

	@SuppressWarnings("FutureReturnValueIgnored") // nobody waits for a warning
	private void report(String key, Question question, SlowWaitWarning warning) {
		warning.report(() -> unanswered(key, question)).whenComplete((warned, failure) -> {
			if (failure != null) {
				log.warn("No warning of a slow wait for {}", LockException.named(List.of(key)), failure);
			}
			answered(key, question, failure != null || warned);
		});
	}

	private boolean isDue(String key, Question question, SlowWaitWarning warning) {
		if (this.interval == 0) {
			return true;
		}
		synchronized (this.asked) {
			Iterator<Question> earliest = this.asked.values().iterator();
			while (earliest.hasNext() && question.at - earliest.next().at >= this.interval) {
				earliest.remove();
			}
			Question known = this.asked.get(key);
			if (known != null) {
				known.askLater(warning);
				return false;
			}
			if (this.asked.size() >= MOST_KEYS) {
				return false;
			}
			this.asked.put(key, question);
			return true;
		}
	}

	private OptionalInt unanswered(String key, Question question) {
		synchronized (this.asked) {
			long now = this.clock.getAsLong();
			long since = (this.unansweredAt != null) ? now - this.unansweredAt - this.interval : this.interval;
			if (since < 0) {
				if (this.unanswered.size() < MOST_KEYS) {
					this.unanswered.add(key);
				}
				question.unlogged = true;
				return OptionalInt.empty();
			}
			this.unanswered.remove(key);
			int others = (since < this.interval) ? this.unanswered.size() : 0;
			this.unansweredAt = now;
			this.unanswered.clear();
			return OptionalInt.of(others);
		}
	}

	private void answered(String key, Question question, boolean warned) {
		SlowWaitWarning next;
		synchronized (this.asked) {
			question.later.removeIf((later) -> warned || !later.isNeeded());
			next = question.later.poll();
			question.open = next != null;
			if (question.unlogged || !(warned || question.open)) {
				this.asked.remove(key, question);
			}
		}
		if (next != null) {
			report(key, question, next);
		}
	}

	/** What the servers are asked about a key, or were asked last. */
	private static final class Question {

		private final long at;

		private final Deque<SlowWaitWarning> later = new ArrayDeque<>();

		private boolean open = true;

		private boolean unlogged;

		Question(long at) {
			this.at = at;
		}

		void askLater(SlowWaitWarning warning) {
			if (this.later.size() == MOST_LATER) {
				this.later.removeIf((each) -> !each.isNeeded());
			}
			if (this.open && this.later.size() < MOST_LATER) {
				this.later.add(warning);
			}
		}

	}

}
