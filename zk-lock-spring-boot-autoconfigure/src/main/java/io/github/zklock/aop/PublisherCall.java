package io.github.zklock.aop;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.OnBusy;
import io.github.zklock.OnLost;

/**
 * One subscription to what a locked method returns.
 */
final class PublisherCall implements CoreSubscriber<Object> {

	/*-
	 * WAITING -> STARTING -> SUBSCRIBING -> RUNNING -> ENDED, and from each to ENDED; from
	 * STARTING and SUBSCRIBING also by way of LEAVING.
	 * WAITING: the lock is being acquired. STARTING: it is held, or others held it all the time,
	 * and the method, or its fallback, makes the publisher. SUBSCRIBING: the publisher is being
	 * subscribed to, and may do all its work in this. RUNNING: it goes on by itself. LEAVING: the
	 * subscriber expects no more signals, but the thread that started is not back yet.
	 *
	 * Who may race: the lock client's answer (once), the publisher's signals (one at a time), the
	 * loss of the lock, and the subscriber's cancellation. Each makes one atomic step of `phase`,
	 * and what it found there says what is left to do. The sink puts signals that come from
	 * several threads in a row.
	 *
	 * I1: The lock is released once, by the thread that made the step to ENDED; so neither while
	 *     the method runs nor while its publisher is subscribed to, unless that has ended.
	 * I2: A lock that is granted after ENDED is released, and the method does not run.
	 * I3: The lock is released before the subscriber is notified of the end. A single value is part
	 *     of the end: who gets it may want the same lock next. Only a loss is reported at once.
	 * I4: Unless the loss is ignored nothing is subscribed to or emitted after it: both ask the
	 *     handle, because the lease may be over before the loss is reported.
	 *
	 * `acquiring` is set when the call may have ended already, so `begin` looks at `phase` after
	 * it has set it, and `cancel` looks at it after its step. `call` and `context` are written
	 * before the step to SUBSCRIBING and read after it.
	 */

	private final LockedPublisher publisher;

	private final LockedMethod method;

	private final FluxSink<Object> sink;

	private final LockOwners.Entry owners;

	private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.WAITING);

	private final Operators.DeferredSubscription work = new Operators.DeferredSubscription();

	private final AtomicReference<@Nullable Object> value = new AtomicReference<>();

	private volatile @Nullable CompletableFuture<LockHandle> acquiring;

	private @Nullable LockedCall call;

	private Context context;

	PublisherCall(LockedPublisher publisher, FluxSink<Object> sink) {
		this.publisher = publisher;
		this.method = publisher.method();
		this.sink = sink;
		this.context = Context.of(sink.contextView());
		this.owners = owners(ReactiveLockContext.owners(this.context), publisher.request());
	}

	private static LockOwners.Entry owners(LockOwners.@Nullable Entry around, LockRequest request) {
		LockOwners.Entry outer = (around != null) ? around : LockOwners.current();
		Object owner = LockOwners.find(outer, request.keys());
		return new LockOwners.Entry((owner != null) ? owner : new Object(), request.keys(), outer);
	}

	@SuppressWarnings("FutureReturnValueIgnored") // the stage after it says nothing new
	void begin() {
		this.sink.onCancel(this::cancel);
		if (this.publisher.isSingle()) {
			this.work.request(Long.MAX_VALUE);
		}
		else {
			this.sink.onRequest(this.work::request);
		}
		if (isEnded()) {
			return;
		}
		LockRequest request = this.publisher.request().owner(this.owners.owner());
		CompletableFuture<LockHandle> answer = this.publisher.client().get().acquireAsync(request);
		this.acquiring = answer;
		if (isEnded()) {
			answer.cancel(false);
		}
		answer.whenComplete(this::answered);
	}

	private boolean isEnded() {
		return this.phase.get() == Phase.ENDED;
	}

	private boolean step(Phase from, Phase to) {
		return this.phase.compareAndSet(from, to);
	}

	private void answered(@Nullable LockHandle handle, @Nullable Throwable failure) {
		if (handle != null) {
			granted(new LockedCall(this.method, handle));
		}
		else if (failure != null) {
			Throwable cause = failure.getCause();
			refused((failure instanceof CompletionException && cause != null) ? cause : failure);
		}
	}

	private void granted(LockedCall held) {
		Throwable notHeld = held.endUnlessHeld();
		if (notHeld != null) {
			if (step(Phase.WAITING, Phase.ENDED)) {
				this.sink.error(notHeld);
			}
		}
		else if (step(Phase.WAITING, Phase.STARTING)) {
			this.call = held;
			this.context = ReactiveLockContext.put(this.context, held.handle(), this.owners);
			start(() -> this.publisher.proceed(held.handle(), this.owners));
		}
		else {
			held.handle().failed(new CancellationException("Nobody is subscribed any more"));
			held.end();
		}
	}

	private void refused(Throwable failure) {
		FallbackMethod fallback = this.method.fallback();
		if (fallback != null && failure instanceof LockTimeoutException busy) {
			if (step(Phase.WAITING, Phase.STARTING)) {
				start(() -> this.publisher.fallBack(fallback, busy));
			}
		}
		else if (step(Phase.WAITING, Phase.ENDED)) {
			if (this.method.onBusy() == OnBusy.SKIP && failure instanceof LockTimeoutException) {
				this.sink.complete();
			}
			else {
				this.sink.error(failure);
			}
		}
	}

	private void start(Body body) {
		Publisher<?> made;
		try {
			made = this.publisher.adapt(body.run());
		}
		catch (Throwable ex) {
			signalFailure(failed(ex), this.phase.getAndSet(Phase.ENDED) == Phase.STARTING);
			return;
		}
		if (step(Phase.STARTING, Phase.SUBSCRIBING)) {
			subscribe(made);
			step(Phase.SUBSCRIBING, Phase.RUNNING);
		}
		if (step(Phase.LEAVING, Phase.ENDED)) {
			cutOff();
			leave();
		}
	}

	private void subscribe(Publisher<?> made) {
		try {
			if (isLost()) {
				lose();
				return;
			}
			if (this.call != null && this.method.onLost() != OnLost.IGNORE) {
				this.call.handle().onLost(this::lose);
			}
			made.subscribe(this);
		}
		catch (Throwable ex) {
			onError(ex);
		}
	}

	@Override
	public Context currentContext() {
		return this.context;
	}

	@Override
	public void onSubscribe(Subscription subscription) {
		this.work.set(subscription);
	}

	@Override
	public void onNext(Object element) {
		boolean lost;
		try {
			lost = isLost();
		}
		catch (Throwable ex) {
			Operators.onDiscard(element, this.context);
			cancelWork();
			onError(ex);
			return;
		}
		if (lost) {
			Operators.onDiscard(element, this.context);
			lose();
		}
		else if (this.publisher.isSingle()) {
			this.value.set(element);
			Phase now = this.phase.get();
			if (now == Phase.LEAVING || now == Phase.ENDED) {
				discard();
			}
		}
		else {
			this.sink.next(element);
		}
	}

	@Override
	public void onError(Throwable failure) {
		discard();
		boolean first = finish();
		signalFailure(first ? failed(failure) : failure, first);
	}

	@Override
	public void onComplete() {
		if (!finish()) {
			discard();
			return;
		}
		Throwable refusal = refusal();
		if (refusal != null) {
			discard();
			signalFailure(failed(refusal), true);
			return;
		}
		Throwable instead = end();
		if (instead != null) {
			discard();
			this.sink.error(instead);
			return;
		}
		Object single = this.value.getAndSet(null);
		if (single != null) {
			this.sink.next(single);
		}
		this.sink.complete();
	}

	private @Nullable Throwable refusal() {
		Object single = this.value.get();
		String remedy = (single != null) ? this.publisher.remedy(single) : null;
		return (single != null && remedy != null && this.call != null) ? this.call.refuse(single, remedy) : null;
	}

	private boolean finish() {
		return this.phase.getAndUpdate((now) -> now.isWorking() ? Phase.ENDED : now).isWorking();
	}

	private void lose() {
		Phase before = this.phase.getAndUpdate((now) -> now.isWorking() ? now.left() : now);
		if (before.isWorking() && this.call != null) {
			stop(before);
			this.sink.error(this.call.lost());
		}
	}

	private void cancel() {
		Phase before = this.phase.getAndUpdate(Phase::left);
		CompletableFuture<LockHandle> answer = this.acquiring;
		if (before.isWorking()) {
			cutOff();
			stop(before);
		}
		else if (before == Phase.WAITING && answer != null) {
			answer.cancel(false);
		}
	}

	private void stop(Phase before) {
		cancelWork();
		discard();
		if (before.left() == Phase.ENDED) {
			leave();
		}
	}

	private void cancelWork() {
		try {
			this.work.cancel();
		}
		catch (Throwable ex) {
			drop(ex);
		}
	}

	private void drop(Throwable failure) {
		this.publisher.drop(failure, this.context);
	}

	private boolean isLost() {
		return this.call != null && this.method.onLost() != OnLost.IGNORE && this.call.handle().isLost();
	}

	// The work of a job that is cancelled is not done
	private void cutOff() {
		try {
			if (this.call != null && !isLost()) {
				this.call.handle().failed(new CancellationException("The subscriber cancelled"));
			}
		}
		catch (Throwable ex) {
			drop(ex);
		}
	}

	private @Nullable Throwable end() {
		try {
			return (this.call != null) ? this.call.end() : null;
		}
		catch (Throwable ex) {
			return ex;
		}
	}

	private void leave() {
		Throwable failure = end();
		if (failure != null && !(failure instanceof LockLostException)) {
			drop(failure);
		}
	}

	private Throwable failed(Throwable failure) {
		return (this.call != null) ? this.call.fail(failure, false) : failure;
	}

	private void signalFailure(Throwable failure, boolean first) {
		if (first) {
			this.sink.error(failure);
		}
		else {
			drop(failure);
		}
	}

	private void discard() {
		Object single = this.value.getAndSet(null);
		if (single != null) {
			Operators.onDiscard(single, this.context);
		}
	}

	private enum Phase {

		WAITING, STARTING, SUBSCRIBING, RUNNING, LEAVING, ENDED;

		boolean isWorking() {
			return this == SUBSCRIBING || this == RUNNING;
		}

		Phase left() {
			return (this == STARTING || this == SUBSCRIBING || this == LEAVING) ? LEAVING : ENDED;
		}

	}

	/**
	 * Makes the publisher.
	 */
	@FunctionalInterface
	private interface Body {

		@Nullable Object run() throws Throwable;

	}

}
