package io.github.zklock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.ElectionState.Asking;
import io.github.zklock.ElectionState.Leading;
import io.github.zklock.ElectionState.Next;
import io.github.zklock.ElectionState.Pausing;
import io.github.zklock.ElectionState.Resigning;
import io.github.zklock.ElectionState.Still;

/**
 * An election by a lock: the candidates are queued for it, and its holder leads.
 */
final class LockElection implements LeaderElection {

	/*-
	 * RESTING -> ASKING -> LEADING -> RESIGNING -> ASKING | RESTING | CLOSED
	 *            ASKING -> PAUSING -> ASKING
	 *            ASKING, PAUSING -> RESTING | CLOSED
	 *
	 * RESTING: no candidate. ASKING: queued for the lock, by one request without a deadline.
	 * PAUSING: the request has failed, and is made again later. LEADING: holds the lock, as
	 * long as the lease says so. RESIGNING: has yielded, withdrawn or lost the lock; the
	 * listener is notified, then the work that was begun ends, then the lock is released. What
	 * comes next can still be changed until then.
	 *
	 * Callers, the answer of a request, the end of a pause, the loss and who asks the leader to
	 * let go race. Each makes one atomic step of `state`, and what it found there says what is
	 * left to do. Whatever takes time, and all that is the user's, is done by one thread, one
	 * thing after the other. So the end of a term is notified after its beginning, also if it was
	 * over before that.
	 *
	 * I1: an answer, the end of a pause, a loss, an ask and the end of a resignation have an
	 *     effect only in the very state that they belong to. A grant that comes when its request was
	 *     withdrawn is released.
	 * I2: the listener is notified of granted and revoked by turns, one at a time, on no thread
	 *     of a caller or of the client; also if it throws. A term that was over before its
	 *     listener could be notified is not mentioned.
	 * I3: unless it was lost, the lock is released when the listener has returned from revoked
	 *     and the last handle of `enter` was released, and not before.
	 * I4: the next request is made when the servers have confirmed that the last node has gone,
	 *     and in the other of the two modes that exclude alike: a client that retains the lock
	 *     retains it for callers of the same mode. So it is queued behind all who wait.
	 * I5: `isLeader`, `term` and `enter` need LEADING and a lock that is held at this moment,
	 *     so they are false before any report of a loss, and at once when a caller gives up.
	 * I6: a request that fails, in whatever way, is made again after a pause, as long as this
	 *     is a candidate.
	 * I7: who waits for the end of a withdrawal waits for each request that was made, too: it
	 *     is in `requests` before `state` is read the last time, and leaves them when its
	 *     grant, if it has one, is the term's or was released, or the request was cancelled: then
	 *     the client releases what it grants. So no lock is left to a client that is closed then.
	 */

	private static final Logger log = LoggerFactory.getLogger(LockElection.class);

	private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

	private static final long CLOSE_MILLIS = 1000;

	private static final long FIRST_PAUSE_MILLIS = 100;

	private static final int MOST_DOUBLINGS = 7;

	private final LockClient client;

	private final String name;

	private final Listener listener;

	private final ElectionThread thread;

	private final AtomicReference<ElectionState> state = new AtomicReference<>(Still.RESTING);

	private final Map<Asking, CompletableFuture<Void>> requests = new ConcurrentHashMap<>();

	// Of the election's own thread
	private LockRequest request;

	LockElection(LockClient client, String name, Listener listener) {
		this(client, name, listener, ElectionThread.daemons(name));
	}

	LockElection(LockClient client, String name, Listener listener, ThreadFactory threads) {
		if (name.isBlank()) {
			throw new IllegalArgumentException("The name of an election must not be blank");
		}
		String key = LeaderElection.key(name);
		this.client = client;
		this.name = name;
		this.listener = Objects.requireNonNull(listener);
		// Fair, so that one who yields is not the next leader
		this.request = LockRequest.exclusive(key).timeout(FOREVER).strategy("sequential").template(key);
		this.thread = new ElectionThread(name, threads);
	}

	@Override
	public String name() {
		return this.name;
	}

	@Override
	public boolean isLeader() {
		return current() != null;
	}

	@Override
	public OptionalLong term() {
		LeaderTerm term = current();
		return (term != null) ? OptionalLong.of(term.number()) : OptionalLong.empty();
	}

	@Override
	public Optional<LockHandle> enter() {
		LeaderTerm term = current();
		return (term != null) ? term.enter() : Optional.empty();
	}

	private @Nullable LeaderTerm current() {
		return (this.state.get() instanceof Leading leading && leading.term().isHeld()) ? leading.term() : null;
	}

	@Override
	public void stand() {
		Asking asking = new Asking(0);
		ElectionState before = this.state.getAndUpdate((now) -> now.candidate(asking));
		if (before == Still.CLOSED || (before instanceof Resigning resigning && resigning.next() == Next.CLOSE)) {
			throw new IllegalStateException("The election '" + this.name + "' is closed");
		}
		if (before == Still.RESTING) {
			this.thread.execute(() -> ask(asking));
		}
	}

	// A candidate is asked to yield however often, and nobody waits for what comes of it
	@Override
	public void yield() {
		resignIfLeading(giveUp(Next.ASK));
	}

	@Override
	public CompletableFuture<Void> withdraw() {
		return leave(Next.REST);
	}

	@Override
	public boolean isListenerThread() {
		return this.thread.isCurrent();
	}

	@Override
	public void close() {
		CompletableFuture<Void> released = leave(Next.CLOSE);
		if (this.thread.isCurrent()) {
			return;
		}
		try {
			released.get(CLOSE_MILLIS, TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException | ExecutionException ex) {
			log.debug("The last work of the leader of '{}' goes on after the end of the election", this.name, ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private CompletableFuture<Void> leave(Next next) {
		ElectionState before = giveUp(next);
		List<CompletableFuture<Void>> ends = new ArrayList<>(this.requests.values());
		resignIfLeading(before);
		if (before instanceof Leading leading) {
			ends.add(leading.term().released());
		}
		else if (before instanceof Resigning resigning) {
			ends.add(resigning.term().released());
		}
		// What the caller does after it may take long, and is no step of ours; the common
		// pool may be busy
		CompletableFuture<Void> ended = CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new));
		return ended.isDone() ? ended : ended.thenComposeAsync((nothing) -> ended, this.thread::executeApart);
	}

	private ElectionState giveUp(Next next) {
		ElectionState before = this.state.getAndUpdate((now) -> now.left(next));
		if (before instanceof Asking asking && next != Next.ASK) {
			asking.cancel();
		}
		return before;
	}

	private void resignIfLeading(ElectionState before) {
		if (before instanceof Leading leading) {
			this.thread.execute(() -> resign(leading.term()));
		}
	}

	/**
	 * Counts those who wait for the end of a request.
	 * @return zero if nobody has withdrawn while one was made
	 */
	int waiting() {
		return this.requests.values().stream().mapToInt(CompletableFuture::getNumberOfDependents).sum();
	}

	@SuppressWarnings("FutureReturnValueIgnored") // the stage after it says nothing new
	private void ask(Asking asking) {
		CompletableFuture<Void> end = new CompletableFuture<>();
		this.requests.put(asking, end);
		if (this.state.get() != asking) {
			ended(asking, end);
			return;
		}
		CompletableFuture<LockHandle> answer;
		try {
			answer = Objects.requireNonNull(this.client.acquireAsync(this.request),
					"The client has returned no future");
		}
		catch (Throwable ex) {
			answer = CompletableFuture.failedFuture(ex);
		}
		asking.made(answer);
		if (this.state.get() != asking) {
			asking.cancel();
		}
		answer.whenCompleteAsync((handle, failure) -> {
			if (handle != null) {
				granted(asking, handle);
			}
			else {
				failed(asking, failure);
			}
		}, this.thread).whenComplete((answered, failure) -> ended(asking, end));
	}

	private void ended(Asking asking, CompletableFuture<Void> end) {
		this.requests.remove(asking);
		end.complete(null);
	}

	private void failed(Asking asking, Throwable failure) {
		Pausing pausing = new Pausing();
		if (this.state.compareAndSet(asking, pausing)) {
			// First of all, because logging may fail
			long pause = FIRST_PAUSE_MILLIS << Math.min(asking.failures(), MOST_DOUBLINGS);
			this.thread.later(pause, () -> resume(pausing, asking.failures() + 1));
			if (asking.failures() == 0) {
				log.warn("This instance cannot stand for election '{}', and tries again", this.name, failure);
			}
			else {
				log.debug("This instance still cannot stand for election '{}'", this.name, failure);
			}
		}
	}

	private void resume(Pausing pausing, int failures) {
		Asking asking = new Asking(failures);
		if (this.state.compareAndSet(pausing, asking)) {
			ask(asking);
		}
	}

	private void granted(Asking asking, LockHandle handle) {
		LeaderTerm term = new LeaderTerm(handle);
		Leading leading = new Leading(term);
		if (!this.state.compareAndSet(asking, leading)) {
			handle.release();
			return;
		}
		handle.onLost(() -> lost(leading));
		listenToAsks(leading);
		if (this.state.get() == leading && term.isHeld()) {
			term.announced = true;
			report(() -> this.listener.granted(term.number()));
		}
	}

	// Other candidates always wait; they are no reason
	private void listenToAsks(Leading leading) {
		try {
			leading.term().lock().onContended((caller) -> {
				if (caller.reason() != null && resignFrom(leading)) {
					log.info("The leader of '{}' gives up leadership because {} on host {} asks for it: {}", this.name,
							caller.instance(), caller.host(), caller.reason());
				}
			});
		}
		catch (UnsupportedOperationException ex) {
			log.debug("The leader of '{}' cannot be asked to give up leadership", this.name, ex);
		}
		catch (Throwable ex) {
			log.warn("The leader of '{}' cannot be asked to give up leadership in this term", this.name, ex);
		}
	}

	private void lost(Leading leading) {
		leading.term().lost();
		resignFrom(leading);
	}

	private boolean resignFrom(Leading leading) {
		boolean resigning = this.state.compareAndSet(leading, new Resigning(leading.term(), Next.ASK));
		if (resigning) {
			this.thread.execute(() -> resign(leading.term()));
		}
		return resigning;
	}

	@SuppressWarnings("FutureReturnValueIgnored") // what is gone is always reported
	private void resign(LeaderTerm term) {
		try {
			if (term.announced) {
				report(() -> this.listener.revoked(term.number()));
			}
		}
		finally {
			term.gone().whenCompleteAsync((nothing, failure) -> resigned(term), this.thread);
			exit(term);
		}
	}

	private void exit(LeaderTerm term) {
		try {
			term.exit();
		}
		catch (Throwable ex) {
			this.thread.later(FIRST_PAUSE_MILLIS, () -> exit(term));
			log.warn("The lock of the election '{}' is released later", this.name, ex);
		}
	}

	private void resigned(LeaderTerm term) {
		Asking asking = new Asking(0);
		this.request = this.request.mode((this.request.mode() == LockMode.WRITE) ? LockMode.EXCLUSIVE : LockMode.WRITE);
		ElectionState before = this.state.getAndUpdate((now) -> now.resigned(term, asking));
		if (before instanceof Resigning resigning && resigning.next() == Next.ASK) {
			ask(asking);
		}
	}

	private void report(Runnable report) {
		try {
			report.run();
		}
		catch (Throwable ex) {
			log.error("A listener of the election '{}' failed", this.name, ex);
		}
	}

	@Override
	public String toString() {
		return "LeaderElection[" + this.name + ", leader=" + isLeader() + "]";
	}

}
