package io.github.zklock.aop;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

import io.github.zklock.LeaderElection;
import io.github.zklock.LockClient;

/**
 * Lets beans with locked methods, what uses them, and Spring Boot's executors be
 * destroyed before the lock client is. Locked methods look for it when they are called,
 * so Spring does not know that they need it: it would be closed first if it was created
 * last, and what still works until its own bean is destroyed would lose its lock.
 */
final class DestructionOrder {

	/**
	 * Spring Boot's, which run locked methods and may wait for them when they are
	 * destroyed. The first is created before all other singletons, so it would be
	 * destroyed last.
	 */
	private static final List<String> EXECUTORS = List.of("applicationTaskExecutor", "taskScheduler");

	private final @Nullable ConfigurableListableBeanFactory beanFactory;

	private final Map<Class<?>, List<String>> sources = new ConcurrentHashMap<>();

	// By names that have a definition, so that there are no more than those
	private final Set<LockedBean> known = ConcurrentHashMap.newKeySet();

	private final Queue<LockedBean> pending = new ConcurrentLinkedQueue<>();

	DestructionOrder(BeanFactory beanFactory) {
		this.beanFactory = (beanFactory instanceof ConfigurableListableBeanFactory configurable) ? configurable : null;
	}

	/**
	 * Adds a bean.
	 * @param beanName its name
	 * @param locked its locked methods, none for most beans
	 */
	void add(String beanName, Collection<LockedMethod> locked) {
		if (this.beanFactory == null || locked.isEmpty()) {
			return;
		}
		// Others depend on the proxy of a scoped bean, not on the bean itself
		String name = ScopedProxyUtils.isScopedTarget(beanName) ? ScopedProxyUtils.getOriginalBeanName(beanName)
				: beanName;
		LockedBean bean = new LockedBean(name,
				locked.stream().map(DestructionOrder::source).collect(Collectors.toUnmodifiableSet()));
		if (this.beanFactory.containsBeanDefinition(name) && this.known.add(bean)) {
			this.pending.add(bean);
		}
	}

	private static Class<?> source(LockedMethod method) {
		return (method.election() != null) ? LeaderElection.class : LockClient.class;
	}

	/**
	 * Registers the beans that were added as dependents. To be called when all singletons
	 * are there: before that, neither is every lock client known by its type, nor what it
	 * depends on itself.
	 */
	void apply() {
		if (this.beanFactory == null) {
			return;
		}
		Set<String> used = new LinkedHashSet<>();
		for (LockedBean bean = this.pending.poll(); bean != null; bean = this.pending.poll()) {
			for (Class<?> type : bean.sources()) {
				for (String source : sources(type, this.beanFactory)) {
					register(source, bean.name(), this.beanFactory);
					used.add(source);
				}
			}
		}
		for (String source : used) {
			registerExecutors(source, this.beanFactory);
		}
	}

	/**
	 * Registers the executors, also if no bean was added: what they run may use a lock
	 * client, or an election, itself. To be called when all singletons are there.
	 */
	void applyToExecutors() {
		if (this.beanFactory == null) {
			return;
		}
		for (Class<?> type : List.of(LockClient.class, LeaderElection.class)) {
			for (String source : find(type, this.beanFactory)) {
				registerExecutors(source, this.beanFactory);
			}
		}
	}

	private static void registerExecutors(String source, ConfigurableListableBeanFactory beanFactory) {
		for (String executor : EXECUTORS) {
			if (beanFactory.containsSingleton(executor)) {
				register(source, executor, beanFactory);
			}
		}
	}

	// One that is not there yet gives no lock to those that have been checked
	private List<String> sources(Class<?> type, ConfigurableListableBeanFactory beanFactory) {
		List<String> found = this.sources.get(type);
		if (found == null) {
			found = find(type, beanFactory);
			this.sources.put(type, found);
		}
		return found;
	}

	private static List<String> find(Class<?> type, ConfigurableListableBeanFactory beanFactory) {
		return Arrays.stream(beanFactory.getBeanNamesForType(type, false, false))
			.filter(beanFactory::containsSingleton)
			.toList();
	}

	// A lock client that depends on the bean, as on a listener, is destroyed first
	private static void register(String source, String bean, ConfigurableListableBeanFactory beanFactory) {
		Set<String> needed = new HashSet<>(Set.of(source));
		Deque<String> next = new ArrayDeque<>(needed);
		while (!next.isEmpty()) {
			Arrays.stream(beanFactory.getDependenciesForBean(next.remove())).filter(needed::add).forEach(next::add);
		}
		if (!needed.contains(bean)) {
			beanFactory.registerDependentBean(source, bean);
		}
	}

	/**
	 * A bean with locked methods.
	 *
	 * @param name its name
	 * @param sources the types of what gives it its locks
	 */
	private record LockedBean(String name, Set<Class<?>> sources) {

	}

}
