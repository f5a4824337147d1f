package io.github.zklock.aop;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.aop.scope.ScopedProxyUtils;

/**
 * Finds jobs that give no key and share that of their method, because it is inherited,
 * overloaded, or of several beans of one class: when one of them has run, the others
 * would be skipped.
 */
final class JobKeys {

	// By names that have a definition, so that there are no more than those
	private final Map<String, Job> jobs = new ConcurrentHashMap<>();

	/**
	 * Adds a job that gives no key.
	 * @param beanName the name of its bean
	 * @param site the method
	 * @throws InvalidLockDefinitionException if another job has the same key
	 */
	void add(String beanName, LockSite site) {
		String name = ScopedProxyUtils.isScopedTarget(beanName) ? ScopedProxyUtils.getOriginalBeanName(beanName)
				: beanName;
		Job job = new Job(name, site);
		Job other = this.jobs.putIfAbsent(site.defaultKey(), job);
		if (other != null && !other.equals(job)) {
			throw site.invalid(
					"the job of the bean '%s' gives no key, so that it has that of %s of the bean '%s', and is skipped when that one has run"
						.formatted(name, other.site(), other.beanName()),
					"Give each a key of its own; a method that several beans inherit can have one for each, as in key = \"#root.target.class.name\".");
		}
	}

	/**
	 * A job.
	 *
	 * @param beanName the name of its bean
	 * @param site its method
	 */
	private record Job(String beanName, LockSite site) {

	}

}
