package io.github.zklock.aop;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * What a locked publisher fails with when nobody expects its signals any more.
 */
final class DroppedErrors {

	private static final Logger log = LoggerFactory.getLogger(DroppedErrors.class);

	private DroppedErrors() {
	}

	/**
	 * Gives a failure to the hook that there is for it. Never throws: the lock is
	 * released whatever hook the user has.
	 * @param failure what nobody is notified of
	 * @param context the subscriber's
	 * @param site of which method
	 */
	static void drop(Throwable failure, Context context, LockSite site) {
		try {
			Operators.onErrorDropped(failure, context);
		}
		catch (Throwable ex) {
			log.error("A hook of Reactor's failed with what {} dropped: {}", site, failure, ex);
		}
	}

}
