package io.github.zklock.aop;

import java.lang.reflect.Method;
import java.util.function.Supplier;

import org.aopalliance.aop.Advice;
import org.springframework.aop.ClassFilter;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.Ordered;

import io.github.zklock.LockClient;

/**
 * Puts the lock around every method that has a
 * {@link io.github.zklock.DistributedLock @DistributedLock}.
 *
 * <p>
 * As all of Spring's annotations of this kind it works through a proxy: a method that is
 * called by another method of the same object is not locked. Call it through another
 * bean.
 *
 * @since 0.1.0
 */
public final class DistributedLockAdvisor extends AbstractPointcutAdvisor {

	/**
	 * The order unless another one is chosen: outside transactions and caches, which are
	 * at {@link Ordered#LOWEST_PRECEDENCE}, so that the lock is released after the
	 * commit.
	 */
	public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 1000;

	private static final long serialVersionUID = 1L;

	private final transient Pointcut pointcut;

	private final transient Advice advice;

	private final transient OpenTransactions transactions;

	/**
	 * Creates an advisor.
	 * @param methods knows which methods are locked
	 * @param client acquires the locks; asked at every call, not before the first
	 * @param order where the lock is among the other advice of a method; smaller is
	 * further outside
	 */
	public DistributedLockAdvisor(LockedMethods methods, Supplier<LockClient> client, int order) {
		this(methods, client, order, false);
	}

	/**
	 * Creates an advisor.
	 * @param methods knows which methods are locked
	 * @param client acquires the locks; asked at every call, not before the first
	 * @param order where the lock is among the other advice of a method; smaller is
	 * further outside
	 * @param releaseAfterCompletion whether a method that is called inside an open
	 * transaction keeps its lock until that transaction has ended
	 */
	public DistributedLockAdvisor(LockedMethods methods, Supplier<LockClient> client, int order,
			boolean releaseAfterCompletion) {
		this.pointcut = new LockedPointcut(methods);
		this.transactions = new OpenTransactions(releaseAfterCompletion);
		this.advice = new DistributedLockInterceptor(methods, client, this.transactions);
		setOrder(order);
	}

	/**
	 * Makes what rolls back the transactions whose locks were lost. Needs spring-tx.
	 * @return a bean for a static method
	 */
	public static BeanPostProcessor transactionGuard() {
		return new TransactionGuard();
	}

	/**
	 * Makes what does so also for transaction managers that are made while Spring makes
	 * its post-processors, and for those of the contexts that are parents.
	 * @return a bean for a static method
	 */
	public static BeanFactoryPostProcessor earlyTransactionGuard() {
		return (beanFactory) -> {
			beanFactory.addBeanPostProcessor(new TransactionGuard());
			TransactionGuard.guardParents(beanFactory);
		};
	}

	@Override
	public Pointcut getPointcut() {
		return this.pointcut;
	}

	@Override
	public Advice getAdvice() {
		return this.advice;
	}

	/**
	 * Returns what becomes of a lock that is inside its method's own transaction.
	 * @param method the method
	 * @return whether it is released before that transaction is committed
	 */
	boolean releasesBeforeCommit(LockedMethod method) {
		return !this.transactions.keeps(method);
	}

	/**
	 * What is locked is said by classes and methods alone. Spring compares pointcuts by
	 * their texts: of two that look alike a class has one proxy class, also in another
	 * context, which stays as long as the class loader.
	 */
	private static final class LockedPointcut extends StaticMethodMatcherPointcut {

		private final LockedMethods methods;

		LockedPointcut(LockedMethods methods) {
			this.methods = methods;
			setClassFilter(new Candidates());
		}

		@Override
		public boolean matches(Method method, Class<?> targetClass) {
			return this.methods.annotation(method, targetClass).isPresent();
		}

		@Override
		public String toString() {
			return getClass().getName();
		}

	}

	private record Candidates() implements ClassFilter {

		@Override
		public boolean matches(Class<?> type) {
			return LockedMethods.isCandidate(type);
		}

		@Override
		public String toString() {
			return getClass().getName();
		}

	}

}
