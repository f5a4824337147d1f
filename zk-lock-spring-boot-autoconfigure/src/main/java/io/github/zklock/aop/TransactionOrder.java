package io.github.zklock.aop;

import java.lang.reflect.Method;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.util.ClassUtils;

/**
 * Looks whether a method's own transaction is inside its lock. Does nothing when there is
 * no spring-tx.
 */
final class TransactionOrder {

	private static final boolean PRESENT = ClassUtils.isPresent(
			"org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor",
			TransactionOrder.class.getClassLoader());

	private TransactionOrder() {
	}

	/**
	 * Looks at the advice of a bean, which is in the order in which it will run.
	 * @param bean the bean, perhaps a proxy
	 * @param locked a method of it
	 * @throws InvalidLockDefinitionException if the lock would be released before the
	 * method's transaction is committed
	 */
	static void check(Object bean, LockedMethod locked) {
		if (PRESENT && bean instanceof Advised proxy) {
			Spring.check(List.of(proxy.getAdvisors()), locked);
		}
	}

	/**
	 * What needs spring-tx: loaded only if that is there.
	 */
	private static final class Spring {

		private Spring() {
		}

		static void check(List<Advisor> outermostFirst, LockedMethod locked) {
			boolean inTransaction = false;
			for (Advisor advisor : outermostFirst) {
				if (advisor instanceof BeanFactoryTransactionAttributeSourceAdvisor transactions) {
					inTransaction |= begins(transactions, locked.site());
				}
				else if (inTransaction && advisor instanceof DistributedLockAdvisor lock
						&& lock.releasesBeforeCommit(locked)) {
					throw locked.site()
						.invalid(
								"the lock is inside the method's own transaction, so that it would be released before the commit, and the next holder would not see the changes",
								"Set zk-lock.aop.order, which is %d, to less than the order of @EnableTransactionManagement, or remove either."
									.formatted(lock.getOrder()));
				}
			}
		}

		private static boolean begins(BeanFactoryTransactionAttributeSourceAdvisor advisor, LockSite site) {
			TransactionAttribute attribute = attribute(advisor, site.method(), site.targetClass());
			return attribute != null && switch (attribute.getPropagationBehavior()) {
				case TransactionDefinition.PROPAGATION_REQUIRED, TransactionDefinition.PROPAGATION_REQUIRES_NEW,
						TransactionDefinition.PROPAGATION_NESTED ->
					true;
				default -> false;
			};
		}

		private static @Nullable TransactionAttribute attribute(BeanFactoryTransactionAttributeSourceAdvisor advisor,
				Method method, Class<?> targetClass) {
			TransactionAttributeSource source = (advisor.getAdvice() instanceof TransactionInterceptor interceptor)
					? interceptor.getTransactionAttributeSource() : null;
			return (source != null) ? source.getTransactionAttribute(method, targetClass) : null;
		}

	}

}
