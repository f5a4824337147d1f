package io.github.zklock.memory;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.zklock.inspect.JobRun;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.internal.client.OpenAcquisitions;
import io.github.zklock.internal.concurrent.SerialExecutor;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.node.ClientIdentity;
import io.github.zklock.internal.node.Permits;

/**
 * The queues of all keys below one root in this process, for all clients that have this
 * root.
 */
final class KeyQueues {

	/*-
	 * One serial executor does everything, so nothing here needs a lock.
	 *
	 * I1: a contender joins the queues of all its keys in one step, and is granted in a step
	 *     that finds no contender before it, in any of them, that it cannot share with. So two
	 *     that exclude each other never hold together, none is overtaken by one that it
	 *     excludes, and contenders of several keys never wait for each other in a circle.
	 * I2: numbers grow from contender to contender, over all roots, and begin with the time of
	 *     day, so that the tokens of a process are larger than those of an earlier one on the
	 *     same host, unless its clock was set back.
	 * I3: a contender whose listener fails leaves all its queues, and the others go on.
	 */

	private static final Map<String, WeakReference<KeyQueues>> ROOTS = new HashMap<>();

	private static final ReentrantLock ROOTS_LOCK = new ReentrantLock();

	private static final AtomicLong NUMBERS = new AtomicLong();

	/** For so many numbers in each millisecond a later process begins above them. */
	private static final int NUMBER_BITS = 10;

	/** With fewer marks none is forgotten, however old it is. */
	private static final int FEW_MARKS = 1000;

	/** So many roots may have marks before the old ones are forgotten. */
	private static final int MANY_ROOTS = 100;

	/** Those that have marks, which outlive the clients. */
	private static final Map<String, KeyQueues> MARKED = new ConcurrentHashMap<>();

	private final Executor steps = new SerialExecutor(new StepFailures());

	private final Map<String, List<MemoryContender>> queues = new TreeMap<>();

	private final Map<String, Mark> marks = new HashMap<>();

	/** While anybody is in the queue of the key. */
	private final Map<String, Set<AskableHandle>> askable = new HashMap<>();

	/** Of all clients: they may wait for a key outside its queue. */
	private final Set<OpenAcquisitions> callers = Collections.newSetFromMap(new WeakHashMap<>());

	private int manyMarks = FEW_MARKS;

	private final String root;

	private KeyQueues(String root) {
		this.root = root;
	}

	/**
	 * Returns the queues of a root. They last while a client refers to them, or a job
	 * must not run again.
	 * @param root the path of the root
	 * @param epochMillis the time of day
	 * @return the same queues for each client of this process
	 */
	static KeyQueues of(String root, long epochMillis) {
		NUMBERS.accumulateAndGet(epochMillis << NUMBER_BITS, Math::max);
		if (MARKED.size() > MANY_ROOTS) {
			MARKED.values().forEach((marked) -> marked.execute(() -> marked.forgetOldMarks(System.nanoTime())));
		}
		ROOTS_LOCK.lock();
		try {
			ROOTS.values().removeIf((reference) -> reference.get() == null);
			WeakReference<KeyQueues> known = ROOTS.get(root);
			KeyQueues queues = (known != null) ? known.get() : null;
			if (queues == null) {
				queues = new KeyQueues(root);
				ROOTS.put(root, new WeakReference<>(queues));
			}
			return queues;
		}
		finally {
			ROOTS_LOCK.unlock();
		}
	}

	void addCallers(OpenAcquisitions open) {
		execute(() -> this.callers.add(open));
	}

	/**
	 * Brings a step that may use the queues.
	 * @param step what to do
	 */
	void execute(Runnable step) {
		this.steps.execute(step);
	}

	/**
	 * Returns what a step finds out.
	 * @param <T> the type of the answer
	 * @param question the step
	 * @return completes with the answer
	 */
	<T> CompletableFuture<T> ask(Supplier<T> question) {
		CompletableFuture<T> answer = new CompletableFuture<>();
		execute(() -> {
			try {
				answer.complete(question.get());
			}
			catch (Throwable ex) {
				answer.completeExceptionally(ex);
			}
		});
		return answer;
	}

	/**
	 * Lets a contender join, unless it tries once and another one is in the way. As a
	 * part of a step, as is all that follows.
	 * @param contender is not in any queue
	 */
	void enter(MemoryContender contender) {
		MemoryGrant blocker = contender.attempt().tryOnce() ? blockerOf(contender) : null;
		if (blocker != null) {
			contender.refuse(blocker);
			return;
		}
		contender.joined(NUMBERS.incrementAndGet());
		List<String> keys = contender.attempt().keys();
		keys.forEach((key) -> this.queues.computeIfAbsent(key, (same) -> new ArrayList<>()).add(contender));
		settle(keys);
	}

	/**
	 * Lets a contender leave some of its queues.
	 * @param contender may have left them already
	 * @param keys the keys of these queues
	 */
	void leave(MemoryContender contender, Collection<String> keys) {
		for (String key : keys) {
			this.queues.computeIfPresent(key, (same, queue) -> {
				queue.remove(contender);
				return queue.isEmpty() ? null : queue;
			});
			if (!this.queues.containsKey(key)) {
				Set<AskableHandle> handles = this.askable.remove(key);
				if (handles != null) {
					handles.forEach(AskableHandle::notice);
				}
			}
		}
		settle(keys);
	}

	/**
	 * Adds a handle that can be asked to let go, if its client holds the key.
	 * @param key the key
	 * @param handle may be known already
	 */
	void addAskable(String key, AskableHandle handle) {
		if (isHeld(key, handle)) {
			this.askable.computeIfAbsent(key, (same) -> new LinkedHashSet<>()).add(handle);
		}
	}

	private boolean isHeld(String key, AskableHandle handle) {
		return describe(key, handle.holder()).contenders().stream().anyMatch((one) -> one.ours() && one.holds());
	}

	/**
	 * Removes a handle that is not to be asked any more.
	 * @param key the key
	 * @param handle may have been removed already
	 */
	void removeAskable(String key, AskableHandle handle) {
		this.askable.computeIfPresent(key, (same, handles) -> {
			handles.remove(handle);
			return handles.isEmpty() ? null : handles;
		});
	}

	/**
	 * Asks those who hold a key to let go.
	 * @param key the key
	 * @param id the ask's id
	 * @param reason why
	 * @param asker the client that asks
	 * @return one for each handle that can be asked
	 */
	List<MemoryAsk> askHolders(String key, String id, String reason, ClientIdentity asker) {
		return this.askable.getOrDefault(key, Set.of())
			.stream()
			.filter((handle) -> isHeld(key, handle))
			.map((handle) -> handle.ask(id, reason, asker))
			.toList();
	}

	/**
	 * Grants what nobody is in the way of any more.
	 * @param keys the keys of the queues that have changed
	 */
	void settle(Collection<String> keys) {
		for (String key : keys) {
			for (MemoryContender contender : List.copyOf(queue(key))) {
				if (contender.isWaiting()) {
					MemoryGrant blocker = blockerOf(contender);
					if (blocker != null) {
						contender.block(blocker);
					}
					else {
						contender.grant();
					}
				}
			}
			queue(key).forEach((contender) -> contender.grantOf(key).noteContention());
		}
	}

	private @Nullable MemoryGrant blockerOf(MemoryContender contender) {
		for (String key : contender.attempt().keys()) {
			List<MemoryContender> before = before(contender, key);
			int permits = contender.grantOf(key).permits();
			if (permits > 0) {
				if (before.size() >= Permits.most(permits(before, key), permits)) {
					return before.get(before.size() - 1).grantOf(key);
				}
				continue;
			}
			for (MemoryContender other : before) {
				if (!contender.sharesWith(other, key)) {
					return other.grantOf(key);
				}
			}
		}
		return null;
	}

	// One that tries once is not in the queue
	private List<MemoryContender> before(MemoryContender contender, String key) {
		List<MemoryContender> queue = queue(key);
		int index = queue.indexOf(contender);
		return (index < 0) ? queue : queue.subList(0, index);
	}

	private static List<Integer> permits(List<MemoryContender> queue, String key) {
		return queue.stream().map((contender) -> contender.grantOf(key).permits()).toList();
	}

	/**
	 * Returns whether another contender waits behind one that holds.
	 * @param contender the one that holds
	 * @param key for which key
	 * @return whether one does that it cannot share with
	 */
	boolean isContended(MemoryContender contender, String key) {
		List<MemoryContender> queue = queue(key);
		if (contender.grantOf(key).permits() > 0) {
			return queue.size() > Math.max(Permits.held(permits(queue, key)), queue.indexOf(contender) + 1);
		}
		return queue.subList(queue.indexOf(contender) + 1, queue.size())
			.stream()
			.anyMatch((other) -> !contender.sharesWith(other, key));
	}

	/**
	 * Describes a queue.
	 * @param key the key
	 * @param us the client that asks
	 * @return who holds it, and who waits
	 */
	LockQueue describe(String key, ClientIdentity us) {
		return new LockQueue(key,
				queue(key).stream()
					.map((contender) -> contender.grantOf(key).describe(this.root + "/" + key, us))
					.toList());
	}

	/**
	 * Returns a job's mark.
	 * @param key the job's key
	 * @return the mark; null if it has none
	 */
	@Nullable Mark mark(String key) {
		return this.marks.get(key);
	}

	/**
	 * Sets a job's mark.
	 * @param key the job's key
	 * @param mark the mark; null for none
	 */
	void mark(String key, @Nullable Mark mark) {
		if (mark != null) {
			this.marks.put(key, mark);
			MARKED.put(this.root, this);
		}
		else {
			this.marks.remove(key);
		}
	}

	/**
	 * Forgets jobs that may run again anyway, if there are many.
	 * @param now the time, in nanoseconds of the clock
	 */
	void forgetMarks(long now) {
		if (this.marks.size() >= this.manyMarks) {
			forgetOldMarks(now);
			this.manyMarks = Math.max(FEW_MARKS, 2 * this.marks.size());
		}
	}

	// Who waits for a run must not run the job itself, however long that takes
	private void forgetOldMarks(long now) {
		Set<String> wanted = new HashSet<>(this.queues.keySet());
		this.callers.forEach((open) -> wanted.addAll(open.keys()));
		this.marks.entrySet()
			.removeIf((entry) -> !wanted.contains(entry.getKey())
					&& now - entry.getValue().startedAt() > entry.getValue().run().within().toNanos());
		if (this.marks.isEmpty()) {
			MARKED.remove(this.root, this);
		}
	}

	List<JobRun> jobs() {
		return this.marks.values()
			.stream()
			.map(Mark::run)
			.sorted(Comparator.comparing(JobRun::started).reversed())
			.limit(FEW_MARKS)
			.toList();
	}

	/**
	 * Returns the keys that are held or wanted.
	 * @return the keys, sorted
	 */
	List<String> keys() {
		return List.copyOf(this.queues.keySet());
	}

	/**
	 * Takes a key from those who hold it. Those who get it by that keep it.
	 * @param key the key
	 */
	void takeAway(String key) {
		List<MemoryContender> holders = queue(key).stream().filter(MemoryContender::isHolding).toList();
		holders.forEach((holder) -> holder.grantOf(key).lose());
	}

	private List<MemoryContender> queue(String key) {
		return this.queues.getOrDefault(key, List.of());
	}

	/**
	 * The mark of a job.
	 *
	 * @param run its last run
	 * @param startedAt when that was started, in nanoseconds of the clock
	 * @param client who ran it
	 */
	record Mark(JobRun run, long startedAt, ClientIdentity client) {
	}

}
