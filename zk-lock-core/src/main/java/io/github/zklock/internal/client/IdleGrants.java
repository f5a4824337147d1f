package io.github.zklock.internal.client;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockException;
import io.github.zklock.LockRequest;
import io.github.zklock.internal.cohort.GrantSlots;
import io.github.zklock.internal.cohort.OfferedGrant;
import io.github.zklock.internal.concurrent.StackProbe;
import io.github.zklock.spi.LockStrategy;

/**
 * Takes grants that nobody wants for threads that ask for one key. Nothing is waited for
 * or timed, and nobody is notified, so that takes no acquisition: hold and handle are
 * made, and the grant is taken.
 *
 * @param requests knows the strategies of requests
 * @param open has what is acquired
 * @param slots has the grants
 */
record IdleGrants(RequestRules requests, OpenAcquisitions open, GrantSlots slots) {

	/**
	 * Takes a grant for the calling thread.
	 * @param request what it asks for
	 * @return the handle; null if there is none to be taken, or more is asked for
	 * @throws LockException if a step fails; nothing is held
	 * @throws StackOverflowError if the thread's stack is near its end
	 */
	@Nullable HeldLock take(LockRequest request) {
		boolean mayTake = this.open.isUnheard() && request.maxHold() == null && request.keys().size() == 1
				&& request.permits().get(0) == 0 && !this.requests.shares().isBounded(request.keys());
		LockStrategy strategy = mayTake ? this.requests.strategyOf(request) : null;
		if (strategy == null) {
			return null;
		}
		StackProbe.requireMoreThanLeast();
		OfferedGrant offered = this.slots.offered(request.keys().get(0), request.mode(), strategy);
		if (offered == null || (offered.passesOthers() && this.requests.isTryOnce(request))) {
			return null;
		}
		return take(offered, request, (request.owner() != null) ? request.owner() : Thread.currentThread());
	}

	/**
	 * Takes a grant.
	 * @param offered the grant
	 * @param request what is asked for: one key, without a maxHold
	 * @param owner who may re-enter
	 * @return the handle; null if the grant cannot be had, or the owner has something of
	 * the key already
	 * @throws LockException if a step fails; nothing is held
	 */
	@Nullable HeldLock take(OfferedGrant offered, LockRequest request, Object owner) {
		Hold hold = new Hold(this.open.holds(), owner, offered.localGrant());
		if (this.open.holds().find(hold.owned()) != null) {
			return null;
		}
		HeldLock handle = new HeldLock(null, request, hold.alone(), this.open.dispatcher(), this.open.contentions());
		try {
			if (!offered.take(hold)) {
				return null;
			}
			this.open.add(hold);
			handle.start(this.open.timer());
			return handle;
		}
		catch (Throwable ex) {
			this.open.dispatcher().failures().report(hold, ex);
			this.open.dispatcher().failures().contain(hold, () -> {
				hold.unsubscribe(handle);
				hold.exit(request.mode());
			});
			throw LockException.engineFailed(request.keys(), ex);
		}
	}

}
