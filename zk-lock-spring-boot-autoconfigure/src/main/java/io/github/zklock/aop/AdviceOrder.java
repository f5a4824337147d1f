package io.github.zklock.aop;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Stream;

import org.springframework.aop.Advisor;
import org.springframework.aop.Pointcut;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

import io.github.zklock.LockLostException;
import io.github.zklock.LockUnavailableException;

/**
 * Looks at what is around a method's lock. {@code @Async} has to be, because the lock
 * would be released too early. Spring puts it outside of all other advice of the bean's
 * proxy, but makes a proxy of its own, inside, where {@code @EnableAsync} has the order
 * of the proxies' creator, and none where an aspect is woven into the class. Spring's own
 * {@code @Retryable} is put into the same proxies, and must not be around a job that is
 * not due again.
 */
final class AdviceOrder {

	// By its name, because spring-context may be there without
	private static final String ADVISOR = "org.springframework.scheduling.annotation.AsyncAnnotationAdvisor";

	private static final String ASYNC = "org.springframework.scheduling.annotation.Async";

	private static final String ASPECT = "org.springframework.scheduling.config.internalAsyncExecutionAspect";

	// Of Spring 7
	private static final String RETRY = "org.springframework.resilience.retry.AbstractRetryInterceptor";

	private static final String RETRYABLE = "org.springframework.resilience.annotation.Retryable";

	private AdviceOrder() {
	}

	/**
	 * Looks at the advice of a bean, that of its outermost proxy first.
	 * @param bean the bean, a proxy
	 * @param locked a method of it
	 * @param beanFactory has the aspect of {@code @Async} where that is woven into
	 * classes
	 * @throws InvalidLockDefinitionException if the lock would be released before the
	 * method has run, or if a job would be repeated that is skipped then
	 */
	static void check(Object bean, LockedMethod locked, BeanFactory beanFactory) {
		// It holds its lock until the future is complete
		boolean waits = locked.returns() == ReturnKind.FUTURE;
		if (!waits && isWoven(locked.site()) && beanFactory.containsBean(ASPECT)) {
			throw outside(locked,
					"Use @EnableAsync with mode = AdviceMode.PROXY, so that the thread that works takes the lock.");
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
				else if (!isLocked && locked.job() != null && isRetry(advisor, locked.site())
						&& mayBeSkipped(locked, locked.job())) {
					throw locked.site()
						.invalid(
								"@Retryable is outside of a job with notAgainWithin, so that a second attempt would find that it is not due, and would skip it as if it had succeeded",
								"Repeat within the method, by a RetryTemplate, or by a @Retryable method of another bean that it calls, or let @Retryable include LockUnavailableException alone, and with takesOver also LockLostException.");
				}
			}
		}
		if (runsElsewhere && !waits) {
			throw outside(locked, "Leave out the order of @EnableAsync, so that the thread that works takes the lock.");
		}
	}

	private static InvalidLockDefinitionException outside(LockedMethod locked, String remedy) {
		return locked.site()
			.invalid(
					"the lock is outside of the method's @Async, so that it would be released as soon as the work is submitted, which would run without it",
					remedy);
	}

	// As the aspect's pointcuts say: neither on what is overridden nor on an annotation,
	// and nothing that returns a value
	private static boolean isWoven(LockSite site) {
		Method method = site.method();
		return method.getReturnType() == void.class && (MergedAnnotations.from(method).isDirectlyPresent(ASYNC)
				|| MergedAnnotations.from(method.getDeclaringClass()).isDirectlyPresent(ASYNC));
	}

	private static boolean isAsync(Advisor advisor, LockSite site) {
		return advisor instanceof PointcutAdvisor async && advisor.getClass().getName().equals(ADVISOR)
				&& matches(async.getPointcut(), site);
	}

	// Others may make their advice only when they are asked for it
	private static boolean isRetry(Advisor advisor, LockSite site) {
		return advisor instanceof DefaultPointcutAdvisor retry
				&& ReturnKind.isOrExtends(retry.getAdvice().getClass(), RETRY) && matches(retry.getPointcut(), site);
	}

	// Unless it repeats only after an attempt that started no run, or one that the next
	// takes over. A publisher's attempts are of different owners, and the lock may still
	// be held behind one that had no answer
	private static boolean mayBeSkipped(LockedMethod locked, JobTime job) {
		return Stream.of(locked.site().method(), locked.site().targetClass())
			.map((element) -> MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).get(RETRYABLE))
			.filter(MergedAnnotation::isPresent)
			.findFirst()
			.map((retryable) -> retryable.getClassArray("includes"))
			.filter((types) -> types.length == 0 || locked.returns() == ReturnKind.PUBLISHER
					|| Arrays.stream(types)
						.anyMatch((type) -> !LockUnavailableException.class.isAssignableFrom(type)
								&& !(job.takesOver() && LockLostException.class.isAssignableFrom(type))))
			.isPresent();
	}

	private static boolean matches(Pointcut pointcut, LockSite site) {
		return pointcut.getClassFilter().matches(site.targetClass())
				&& pointcut.getMethodMatcher().matches(site.method(), site.targetClass());
	}

}
