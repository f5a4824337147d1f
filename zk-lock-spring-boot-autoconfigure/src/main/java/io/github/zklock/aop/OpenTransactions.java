package io.github.zklock.aop;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

import io.github.zklock.LockContext;
import io.github.zklock.LockException;
import io.github.zklock.LockHandle;

/**
 * What becomes of a lock that is taken inside a transaction that was open before. Does
 * nothing when there is no spring-tx.
 */
final class OpenTransactions {

	/*-
	 * The lock is outside the method's own transaction. But when there is one already,
	 * that one is committed after the method has returned: the next holder may then read what
	 * is about to change. So either a warning is logged, or the lock is kept until the end.
	 */

	private static final boolean PRESENT = ClassUtils.isPresent(
			"org.springframework.transaction.support.TransactionSynchronizationManager",
			OpenTransactions.class.getClassLoader());

	private static final Logger log = LoggerFactory.getLogger(OpenTransactions.class);

	private final boolean releaseAfterCompletion;

	// A reference to the constructor would load what it needs at once
	private final SingletonSupplier<Spring> spring = SingletonSupplier.of(() -> new Spring());

	private final Map<LockSite, Boolean> joining = new ConcurrentHashMap<>();

	private final Set<LockSite> warned = ConcurrentHashMap.newKeySet();

	OpenTransactions(boolean releaseAfterCompletion) {
		this.releaseAfterCompletion = releaseAfterCompletion;
	}

	/**
	 * Looks whether the lock would be released before a transaction is committed that the
	 * method works in.
	 * @param method the method, which is about to run
	 * @param call holds its lock
	 */
	void entered(LockedMethod method, LockedCall call) {
		if (!PRESENT || !Spring.isOpen() || !joins(method)) {
			return;
		}
		if (keeps(method)) {
			if (!isHeldOutside(call.handle(), CallHandle.class)) {
				Spring.keep(call);
			}
		}
		else if (!isHeldOutside(call.handle(), LockHandle.class) && this.warned.add(method.site())) {
			log.warn(
					"{} was called inside an open transaction, so {} {} released before that transaction commits, and the next holder may not see its changes. Begin the transaction inside the lock{}. This is said once for each method.",
					method.site(), LockException.named(call.handle().keys()),
					(call.handle().keys().size() == 1) ? "is" : "are",
					this.releaseAfterCompletion ? "" : ", or set zk-lock.aop.release-after-completion=true");
		}
	}

	/**
	 * Returns whether a lock that is taken inside a transaction is kept until its end.
	 * @param method the locked method
	 * @return whether it is kept
	 */
	boolean keeps(LockedMethod method) {
		return this.releaseAfterCompletion && method.returns() == ReturnKind.VALUE && joins(method);
	}

	private boolean joins(LockedMethod method) {
		return this.joining.computeIfAbsent(method.site(), (site) -> this.spring.obtain().joins(site));
	}

	// The call that took the keys first was looked at then, or came before the
	// transaction. What LockClient has taken may be inside of it, too: that is no reason
	// to warn, nor one not to keep the lock.
	private static boolean isHeldOutside(LockHandle entered, Class<? extends LockHandle> by) {
		Set<String> held = new HashSet<>();
		for (LockHandle outer : LockContext.all()) {
			if (by.isInstance(outer) && outer.isHeld()) {
				held.addAll(outer.keys());
			}
		}
		return held.containsAll(entered.keys());
	}

	/**
	 * What needs spring-tx: loaded only if that is there.
	 */
	private static final class Spring {

		// Knows what Spring takes for transactional, also by the annotations of others.
		// It remembers each method
		private final TransactionAttributeSource attributes = attributes();

		// Only the propagation is asked for, so a time-out may have any value
		private static TransactionAttributeSource attributes() {
			AnnotationTransactionAttributeSource attributes = new AnnotationTransactionAttributeSource(false);
			attributes.setEmbeddedValueResolver((text) -> "0");
			return attributes;
		}

		static boolean isOpen() {
			return TransactionSynchronizationManager.isActualTransactionActive()
					&& TransactionSynchronizationManager.isSynchronizationActive()
					&& TransactionSynchronizationManager.getSynchronizations()
						.stream()
						.noneMatch(Committing.class::isInstance);
		}

		boolean joins(LockSite site) {
			TransactionAttribute own = this.attributes.getTransactionAttribute(site.method(), site.targetClass());
			return own == null || switch (own.getPropagationBehavior()) {
				case TransactionDefinition.PROPAGATION_REQUIRES_NEW, TransactionDefinition.PROPAGATION_NOT_SUPPORTED ->
					false;
				default -> true;
			};
		}

		static void keep(LockedCall call) {
			TransactionSynchronizationManager.registerSynchronization(new Keeper(call));
			call.keep();
		}

	}

	/**
	 * Marks a transaction whose commit has begun: what is called now, as after the
	 * commit, is no more part of it. Spring puts it aside with a transaction that it
	 * suspends, and removes it before it says that the transaction has ended.
	 */
	static final class Committing implements TransactionSynchronization {

	}

	/**
	 * Keeps a lock until the transaction has ended.
	 *
	 * @param call holds the lock
	 */
	record Keeper(LockedCall call) implements TransactionSynchronization {

		/**
		 * Lets the transaction be committed, or not.
		 * @throws io.github.zklock.LockLostException if the lock was lost and that is not
		 * to be ignored
		 */
		void check() {
			this.call.handle().checkBeforeCommit();
		}

		@Override
		public void beforeCommit(boolean readOnly) {
			check();
		}

		@Override
		public void afterCompletion(int status) {
			this.call.release();
		}

	}

}
