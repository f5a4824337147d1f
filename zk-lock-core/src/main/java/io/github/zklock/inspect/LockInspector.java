package io.github.zklock.inspect;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockMode;
import io.github.zklock.LockUnavailableException;

/**
 * Looks at the locks of all clients with the same root and key prefix, and may force a
 * release, for people who operate them. Works on a connection of its own, so that nothing
 * that it asks for can disturb the locks. A call waits for up to 10 s for another call to
 * end, 10 s for a connection, and 10 s for each answer; if the first one does not come,
 * 30 s in all.
 *
 * <p>
 * A key of more than 255 encoded bytes is shown by the name of its node, which has only
 * its digest, unless this lock client holds it or waits for it. That name may be given in
 * its stead, but to {@link #ask} where keys are nested.
 *
 * @since 0.1.0
 */
public interface LockInspector extends AutoCloseable {

	/**
	 * Looks at some of the keys. Those whose nodes in ZooKeeper may not be read are left
	 * out, with a warning in the log: they may be held. Each call looks anew, so a key
	 * that is held all the time may be on both of two pages, or on neither, if another
	 * one was taken or released between the calls. If no key may be missed, ask for one
	 * page.
	 * @param page which page, from 0
	 * @param size how many keys on a page, at least one
	 * @return the page of keys that are held or wanted
	 * @throws LockUnavailableException if the servers gave no answer, or one that was too
	 * long
	 * @throws IllegalArgumentException if page or size is out of range
	 */
	Page keys(int page, int size);

	/**
	 * Looks at one key.
	 * @param key the key
	 * @return who holds it, and who waits, in their order; empty if nobody does. In
	 * ZooKeeper the first 1,000 of them
	 * @throws LockUnavailableException if the servers gave no answer, or one that was too
	 * long, or refused
	 */
	LockQueue line(String key);

	/**
	 * Looks at who waits for whom, on all keys of all clients, and for those who wait for
	 * each other in a circle. What changes meanwhile may be seen half. Keys whose nodes
	 * may not be read are left out as in {@link #keys}.
	 * @return who waits for whom
	 * @throws LockUnavailableException if the servers gave no answer, or one that was too
	 * long
	 */
	Waits waits();

	/**
	 * Looks at the callers of this process's lock client that wait, also those who wait
	 * behind one node, or without one. Asks no server.
	 * @return one for each caller and key, the longest wait first; empty if nobody waits,
	 * or no lock client is known
	 */
	default List<LocalWaiter> localWaiters() {
		return List.of();
	}

	/**
	 * Looks at the last runs of the jobs that are not to run twice
	 * ({@link io.github.zklock.LockClient#notAgainWithin}).
	 * @return one for each job, the latest first, at most 1,000, of some 10,000 of them;
	 * empty if there are none
	 * @throws LockUnavailableException if the servers gave no answer, or one that was too
	 * long
	 * @throws UnsupportedOperationException if this kind of inspector cannot do it
	 */
	default List<JobRun> jobs() {
		throw new UnsupportedOperationException("This inspector does not know when jobs ran");
	}

	/**
	 * Asks those who hold a key to let go: the actions of
	 * {@link io.github.zklock.LockHandle#onContended} are run. They decide; nothing is
	 * taken from them. Waits for up to 4 s until they have noticed.
	 * @param key the key
	 * @param reason for what, in a few words, at most 1,000 characters; one that takes
	 * more than 1,800 bytes in JSON, as other text than ASCII may, is cut
	 * @return one for each handle with such an action that is held for more than a second
	 * or two; others cannot be asked. Empty if there are none
	 * @throws IllegalArgumentException if the reason is too long
	 * @throws LockUnavailableException if the servers gave no answer, or refused; some
	 * may have been asked
	 * @throws UnsupportedOperationException if this kind of inspector cannot do it
	 */
	default List<HolderNote> ask(String key, String reason) {
		throw new UnsupportedOperationException("This inspector does not ask holders");
	}

	/**
	 * Deletes the nodes of those who hold a key. They lose the lock, and the next waiter
	 * is served, although the work under the lock may go on. In ZooKeeper also those that
	 * are shown as holders while they wait for another key
	 * ({@link LockQueue.Contender#holds}): they lose this key as soon as they are
	 * granted. All of them, also if they are more than are shown.
	 * @param key the key
	 * @return whose nodes were deleted; empty if nobody held it
	 * @throws LockUnavailableException if the servers gave no answer, or refused; some of
	 * the nodes may be gone. Also if the holders changed all the time; then none is
	 */
	List<LockQueue.Contender> forceRelease(String key);

	/**
	 * Does the same as {@link #forceRelease(String)}, and reports each holder as soon as
	 * its node was deleted, so that an audit has them even if an exception follows.
	 * @param key the key
	 * @param released is given each whose node was deleted, before this returns
	 * @return whose nodes were deleted; empty if nobody held it
	 * @throws LockUnavailableException as {@link #forceRelease(String)}; whether the node
	 * is gone that was to be deleted next is not known then
	 */
	default List<LockQueue.Contender> forceRelease(String key, Consumer<? super LockQueue.Contender> released) {
		List<LockQueue.Contender> holders = forceRelease(key);
		holders.forEach(released);
		return holders;
	}

	/**
	 * Closes the connection, if it is open.
	 */
	@Override
	void close();

	/**
	 * Some of the keys.
	 *
	 * @param page which page, from 0
	 * @param size how many keys a page has at most
	 * @param total how many keys are held or wanted, of those that may be read
	 * @param lines those of them that are on this page, sorted by their nodes
	 * @since 0.1.0
	 */
	record Page(int page, int size, int total, List<LockQueue> lines) {

		/**
		 * Creates a page.
		 */
		public Page {
			lines = List.copyOf(lines);
		}

	}

	/**
	 * Who waits for whom.
	 *
	 * @param waits each pair, 5,000 at most; if there are more, each waiter with the
	 * first one that it waits for comes first
	 * @param deadlocks those who wait for each other in a circle, also where a pair of it
	 * is not among the waits; without those with all callers of a smaller one
	 * @since 0.1.0
	 */
	record Waits(List<Wait> waits, List<Deadlock> deadlocks) {

		/**
		 * Creates a graph.
		 */
		public Waits {
			waits = List.copyOf(waits);
			deadlocks = List.copyOf(deadlocks);
		}

	}

	/**
	 * One who waits, and one who is in the way.
	 *
	 * @param waiter who waits
	 * @param key for which key
	 * @param blocker who holds it, or is queued before the waiter
	 * @since 0.1.0
	 */
	record Wait(Caller waiter, String key, Caller blocker) {
	}

	/**
	 * Some who wait for each other in a circle.
	 *
	 * @param sameCallers true if everywhere the caller that holds is the one that waits,
	 * as far as the nodes show; false if only the instances are the same, whose callers
	 * may be independent
	 * @param circle each waits for the next one, and the last for the first
	 * @since 0.1.0
	 */
	record Deadlock(boolean sameCallers, List<Wait> circle) {

		/**
		 * Creates a circle.
		 */
		public Deadlock {
			circle = List.copyOf(circle);
		}

	}

	/**
	 * A caller of this process that waits for a key.
	 *
	 * @param key the key
	 * @param mode how it wants the key
	 * @param caller the thread that asked
	 * @param waited for how long it has waited
	 * @since 0.1.0
	 */
	record LocalWaiter(String key, LockMode mode, String caller, Duration waited) {
	}

	/**
	 * One who holds or waits.
	 *
	 * @param client what is the same for all callers of one lock client
	 * @param instance the instance of the application; null for a stranger's node
	 * @param host its host; null if not known
	 * @param pid its process; null if not known
	 * @param caller the thread that asked, or the node of a stranger; null if only the
	 * client is meant. Where several callers of this lock client have one name, each has
	 * a number behind it
	 * @param ours whether it is of this lock client
	 * @since 0.1.0
	 */
	record Caller(String client, @Nullable String instance, @Nullable String host, @Nullable String pid,
			@Nullable String caller, boolean ours) {
	}

}
