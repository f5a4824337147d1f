package io.github.zklock.internal.client;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.github.zklock.LockHandle;
import io.github.zklock.internal.cohort.LocalGrant;
import io.github.zklock.internal.concurrent.Timer;

/**
 * What a client has open: the acquisitions that are under way, and what was acquired and
 * is held.
 */
public final class OpenAcquisitions implements Acquisition.Host {

	/*-
	 * OPEN -> CLOSED. Callers begin, engine threads and the timer decide, anybody closes.
	 *
	 * I1: an acquisition that begins while `close` runs is ended by one of the two: it looks at
	 *     `closed` after it has joined `pending`, `close` reads `pending` after it has set
	 *     `closed`. A grant that comes later finds its outcome decided and is released.
	 * I2: a hold that is made while `close` runs is given up by one of the two: it looks at
	 *     `closed` after it was added, `close` reads the holds after it has set `closed`. So is
	 *     one that a caller makes of an idle grant.
	 * I3: the end is complete only when each acquisition that is about to enter has entered, or has left
	 *     again, and each that has failed has left: those are `unfinished`. One becomes that before it joins,
	 *     or leaves, `pending`; who looks for the end reads `pending` first. Otherwise a node could be made
	 *     when nothing is left that would see to it.
	 */

	private static final CompletionStage<Void> NOTHING = CompletableFuture.completedStage(null);

	private final Set<Acquisition> pending = ConcurrentHashMap.newKeySet();

	private final Holds holds;

	private final AtomicBoolean closed = new AtomicBoolean();

	private final AtomicInteger unfinished = new AtomicInteger();

	private final CompletableFuture<Void> finished = new CompletableFuture<>();

	private final ListenerDispatcher dispatcher;

	private final ContentionReports contentions;

	private final Timer timer;

	private final Supplier<String> servers;

	/**
	 * Creates an empty set.
	 * @param dispatcher notifies the user's listeners
	 * @param source sees who waits for what is held
	 * @param timer starts what is to happen later
	 * @param servers says which servers are asked, for people
	 */
	OpenAcquisitions(ListenerDispatcher dispatcher, ContentionSource source, Timer timer, Supplier<String> servers) {
		this.holds = new Holds(dispatcher.failures());
		this.dispatcher = dispatcher;
		this.contentions = new ContentionReports(source, this::pending, dispatcher.callbacks(), timer);
		this.timer = timer;
		this.servers = servers;
	}

	/**
	 * Begins an acquisition: what the owner holds already is entered once more, and
	 * listeners are notified.
	 * @param asked what is asked for
	 * @param abandoned whether the caller has given up, and so never gets a handle
	 * @return the acquisition, to be admitted
	 * @throws io.github.zklock.LockException if this is closed, or the owner must not
	 * enter what it holds
	 */
	Acquisition begin(ResolvedRequest asked, Predicate<? super LockHandle> abandoned) {
		List<Hold> reentered = enter(asked);
		try {
			Acquisition acquisition = new Acquisition(this, asked, reentered, abandoned);
			if (this.dispatcher.hasListeners()) {
				this.dispatcher.asked(acquisition.event());
			}
			return acquisition;
		}
		catch (Throwable ex) {
			Hold.exit(reentered, asked.request());
			throw ex;
		}
	}

	private List<Hold> enter(ResolvedRequest asked) {
		try {
			if (this.closed.get()) {
				throw asked.closed();
			}
			return this.holds.enter(asked.owner(), asked.request());
		}
		catch (RuntimeException ex) {
			failed(asked, ex);
			throw ex;
		}
	}

	/**
	 * Notifies listeners of a call that has failed without an acquisition of its own.
	 * @param asked what was asked for
	 * @param cause why it has failed
	 */
	void failed(ResolvedRequest asked, Throwable cause) {
		if (this.dispatcher.hasListeners()) {
			this.dispatcher.failed(asked.event(ResolvedRequest.newId(), null), cause);
		}
	}

	/**
	 * Counts an acquisition among those under way, and lets it enter, unless it has
	 * failed because this is closed.
	 * @param acquisition which
	 * @param entering enters its contender; completes when that has left again, or at
	 * once if it need not
	 */
	void admit(Acquisition acquisition, Supplier<CompletionStage<Void>> entering) {
		this.unfinished.incrementAndGet();
		finish(() -> {
			this.pending.add(acquisition);
			if (this.closed.get()) {
				acquisition.fail(acquisition.asked().closed());
			}
			return acquisition.isDecided() ? NOTHING : entering.get();
		});
	}

	private void finish(Supplier<CompletionStage<Void>> last) {
		CompletionStage<Void> done = NOTHING;
		try {
			done = last.get();
		}
		finally {
			done.whenComplete((nothing, failure) -> {
				this.unfinished.decrementAndGet();
				endIfFinished();
			});
		}
	}

	private void endIfFinished() {
		if (this.closed.get() && this.pending.isEmpty() && this.unfinished.get() == 0) {
			this.finished.complete(null);
		}
	}

	@Override
	public Hold newHold(Object owner, LocalGrant localGrant) {
		Hold hold = new Hold(this.holds, owner, localGrant);
		add(hold);
		return hold;
	}

	/**
	 * Notes what an owner holds of a key from now on.
	 * @param hold the hold
	 */
	void add(Hold hold) {
		this.holds.add(hold);
		if (this.closed.get()) {
			hold.close();
		}
	}

	@Override
	public boolean isClosed() {
		return this.closed.get();
	}

	/**
	 * Returns whether holds may be made without an acquisition.
	 * @return whether this is open, and nobody listens
	 */
	boolean isUnheard() {
		return !this.dispatcher.hasListeners() && !isClosed();
	}

	@Override
	public HeldLock acquired(Acquisition acquisition, List<Hold> parts) {
		HeldLock handle = new HeldLock(acquisition, acquisition.asked().request(), parts, this.dispatcher,
				this.contentions);
		handle.limit(this.timer);
		remove(acquisition);
		if (this.dispatcher.hasListeners()) {
			this.dispatcher.acquired(acquisition.event());
		}
		handle.start(this.timer);
		return handle;
	}

	@Override
	public void notAcquired(Acquisition acquisition, Throwable cause) {
		this.unfinished.incrementAndGet();
		try {
			this.pending.remove(acquisition);
			this.dispatcher.notAcquired(acquisition.event(), cause);
		}
		finally {
			finish(acquisition::withdraw);
		}
	}

	private void remove(Acquisition acquisition) {
		this.pending.remove(acquisition);
		endIfFinished();
	}

	@Override
	public void failed(Acquisition acquisition, Throwable cause) {
		remove(acquisition);
		this.dispatcher.failures().report(acquisition, cause);
		this.dispatcher.notAcquired(acquisition.event(), cause);
	}

	/**
	 * Returns what is held.
	 * @return all holds of the client
	 */
	public Holds holds() {
		return this.holds;
	}

	ListenerDispatcher dispatcher() {
		return this.dispatcher;
	}

	ContentionReports contentions() {
		return this.contentions;
	}

	Timer timer() {
		return this.timer;
	}

	@Override
	public Future<?> after(long nanos, Runnable step) {
		return this.timer.after(nanos, step);
	}

	@Override
	public String servers() {
		return this.servers.get();
	}

	/**
	 * Returns what the owners of this client hold and wait for.
	 * @return one for each owner
	 */
	public Collection<LocalCaller> localCallers() {
		return LocalCaller.all(this.holds.all(), this.pending);
	}

	/**
	 * Returns the keys that this client has to do with.
	 * @return what it holds, and what it waits for
	 */
	public Set<String> keys() {
		Set<String> keys = new HashSet<>();
		this.holds.all().forEach((hold) -> keys.add(hold.key()));
		this.pending.forEach((acquisition) -> keys.addAll(acquisition.asked().request().keys()));
		return keys;
	}

	/**
	 * Returns what is under way.
	 * @return a view, which changes meanwhile; some may be decided already
	 */
	public Collection<Acquisition> pending() {
		return Collections.unmodifiableSet(this.pending);
	}

	/**
	 * Counts what is open.
	 * @return the number of acquisitions under way and of holds
	 */
	public int count() {
		return this.pending.size() + this.holds.count();
	}

	/**
	 * Ends whatever is pending or held, and everything that comes later.
	 * @return completes when the servers have confirmed, and nobody enters any more
	 */
	public CompletableFuture<Void> close() {
		this.closed.set(true);
		List<CompletableFuture<Void>> leaving = new ArrayList<>(List.of(this.finished));
		this.pending.forEach((acquisition) -> each(acquisition, () -> acquisition.fail(acquisition.asked().closed())));
		endIfFinished();
		this.holds.all().forEach((hold) -> each(hold, () -> leaving.add(hold.close().toCompletableFuture())));
		return CompletableFuture.allOf(leaving.toArray(CompletableFuture[]::new));
	}

	private void each(Object part, Runnable end) {
		this.dispatcher.failures().contain(part, end);
	}

}
