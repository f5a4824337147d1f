package io.github.zklock.aop;

import org.springframework.aop.Advisor;
import org.springframework.aop.Pointcut;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;

/**
 * Looks whether a method's {@code @Async} is inside its lock. Spring puts it outside of
 * all other advice of the bean's proxy, but makes a proxy of its own, inside, where
 * {@code @EnableAsync} has the order of the proxies' creator.
 */
final class AsyncOrder {

	// By its name, because spring-context may be there without
	private static final String ADVISOR = "org.springframework.scheduling.annotation.AsyncAnnotationAdvisor";

	private AsyncOrder() {
	}

	/**
	 * Looks at the advice of a bean, that of its outermost proxy first.
	 * @param bean the bean, a proxy
	 * @param locked a method of it
	 * @throws InvalidLockDefinitionException if the lock would be released before the
	 * method has run
	 */
	static void check(Object bean, LockedMethod locked) {
		// It holds its lock until the future is complete
		if (locked.returns() == ReturnKind.FUTURE) {
			return;
		}
		boolean isLocked = false;
		boolean runsElsewhere = false;
		for (Object current = bean; current instanceof Advised proxy
				&& AopUtils.isAopProxy(current); current = AopProxyUtils.getSingletonTarget(current)) {
			for (Advisor advisor : proxy.getAdvisors()) {
				if (advisor instanceof DistributedLockAdvisor) {
					isLocked = true;
					runsElsewhere = false;
				}
				else if (isAsync(advisor, locked.site())) {
					runsElsewhere = isLocked;
				}
			}
		}
		if (runsElsewhere) {
			throw locked.site()
				.invalid(
						"the lock is outside of the method's @Async, so that it would be released as soon as the work is submitted, which would run without it",
						"Leave out the order of @EnableAsync, so that the thread that works takes the lock.");
		}
	}

	private static boolean isAsync(Advisor advisor, LockSite site) {
		if (!(advisor instanceof PointcutAdvisor async) || !advisor.getClass().getName().equals(ADVISOR)) {
			return false;
		}
		Pointcut pointcut = async.getPointcut();
		return pointcut.getClassFilter().matches(site.targetClass())
				&& pointcut.getMethodMatcher().matches(site.method(), site.targetClass());
	}

}
