package io.github.zklock.aop;

import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;

/**
 * Finds jobs that give no key and share that of their method, because it is inherited,
 * overloaded, or of several beans of one class: while one of them runs, and for some time
 * if they are not to run again within it, the others are skipped.
 */
final class JobKeys {

	private static final Logger log = LoggerFactory.getLogger(JobKeys.class);

	// By names that have a definition, so that there are no more than those
	private final Map<String, Job> jobs = new ConcurrentHashMap<>();

	/**
	 * Adds a job that gives no key.
	 * @param bean its bean, or the proxy of that
	 * @param beanName the name of its bean
	 * @param method the method
	 * @throws InvalidLockDefinitionException if another job has the same key, and one
	 * would be skipped when the other has run
	 */
	void add(Object bean, String beanName, LockedMethod method) {
		String name = ScopedProxyUtils.isScopedTarget(beanName) ? ScopedProxyUtils.getOriginalBeanName(beanName)
				: beanName;
		Job job = new Job(name, method, new WeakReference<>(target(bean)));
		Job other = this.jobs.putIfAbsent(method.site().defaultKey(), job);
		if (other == null || other.isSame(job)) {
			return;
		}
		if (method.job() != null || other.method().job() != null) {
			throw method.site()
				.invalid(
						"the job of the bean '%s' gives no key, so that it has that of %s of the bean '%s', and one is skipped when the other has run"
							.formatted(name, other.method().site(), other.beanName()),
						"Give each a key of its own; a method that several beans inherit can have one for each, as in key = \"#root.target.class.name\".");
		}
		log.warn(
				"The jobs {} of the bean '{}' and {} of the bean '{}' give no key and have that of their method, so that one is skipped while the other runs. Give each a key if they are not the same job",
				other.method().site(), other.beanName(), method.site(), name);
	}

	private static Object target(Object bean) {
		Object target = bean;
		for (Object next = target; next != null; next = AopProxyUtils.getSingletonTarget(next)) {
			target = next;
		}
		return target;
	}

	/**
	 * A job.
	 *
	 * @param beanName the name of its bean
	 * @param method its method
	 * @param target the object, which may have several names
	 */
	private record Job(String beanName, LockedMethod method, WeakReference<Object> target) {

		boolean isSame(Job other) {
			@Nullable Object mine = this.target.get();
			return this.method.site().equals(other.method.site())
					&& (this.beanName.equals(other.beanName) || (mine != null && mine == other.target.get()));
		}

	}

}
