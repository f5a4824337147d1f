package io.github.zklock.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.Conventions;
import org.springframework.util.ClassUtils;

/**
 * Finds the mistakes in locked methods when their beans are created, so that the context
 * does not start with them. What needs other beans (strategies, beans in expressions) is
 * checked when all singletons are there; for beans that are created later, at once.
 *
 * @since 0.1.0
 */
public final class LockedBeanValidator implements MergedBeanDefinitionPostProcessor,
		SmartInstantiationAwareBeanPostProcessor, SmartInitializingSingleton {

	/** What {@code @Proxyable} sets since Spring 7. */
	private static final String INTERFACES_ATTRIBUTE = Conventions.getQualifiedAttributeName(AutoProxyUtils.class,
			"exposedInterfaces");

	private final LockedBeanCheck check;

	private final BeanFactory beanFactory;

	private final Supplier<Optional<Set<String>>> strategies;

	private final BooleanSupplier waits;

	private final DestructionOrder order;

	private final JobKeys jobs = new JobKeys();

	private final Map<Checked, List<LockedMethod>> known = new ConcurrentHashMap<>();

	private final Set<Class<?>> accepted = ConcurrentHashMap.newKeySet();

	private final Set<String> exposed = ConcurrentHashMap.newKeySet();

	private final Set<String> byInterfaces = ConcurrentHashMap.newKeySet();

	private final Queue<LockedMethod> pending = new ConcurrentLinkedQueue<>();

	private final AtomicInteger found = new AtomicInteger();

	private volatile boolean started;

	/**
	 * Creates a validator.
	 * @param methods knows which methods are locked, and where the beans are
	 * @param strategies gives the names of the strategies, or empty if they cannot be
	 * known; asked when all singletons are there, and only if there are locked methods
	 * @param waits whether methods that give no time-out wait for their locks
	 */
	public LockedBeanValidator(LockedMethods methods, Supplier<Optional<Set<String>>> strategies,
			BooleanSupplier waits) {
		this.check = new LockedBeanCheck(methods);
		this.beanFactory = methods.beanFactory();
		this.strategies = strategies;
		this.waits = waits;
		this.order = new DestructionOrder(this.beanFactory);
	}

	/**
	 * Makes what refuses beans with locked methods that are created before Spring can
	 * make proxies, and lets the validator see those that are created before it is there.
	 * @return a bean for a static method
	 */
	public static BeanFactoryPostProcessor earlyBeanGuard() {
		return new EarlyBeanGuard();
	}

	/**
	 * Makes what lets Spring Boot's executors be destroyed before lock clients and
	 * elections are, which their work may use, with or without locked methods.
	 * @param beanFactory has them
	 * @return a bean
	 */
	public static SmartInitializingSingleton executorOrder(BeanFactory beanFactory) {
		return new DestructionOrder(beanFactory)::applyToExecutors;
	}

	@Override
	public void postProcessMergedBeanDefinition(RootBeanDefinition beanDefinition, Class<?> beanType, String beanName) {
		this.check.checkCallbacks(beanDefinition, beanType);
		if (beanDefinition.hasAttribute(INTERFACES_ATTRIBUTE)) {
			this.byInterfaces.add(beanName);
		}
	}

	@Override
	public Object getEarlyBeanReference(Object bean, String beanName) {
		this.exposed.add(beanName);
		return bean;
	}

	@Override
	public Object postProcessBeforeInitialization(Object bean, String beanName) {
		Class<?> type = bean.getClass();
		if (Modifier.isFinal(type.getModifiers()) && !(bean instanceof AopInfrastructureBean) && !type.isHidden()
				&& !Proxy.isProxyClass(type) && isProxiedByClass(type, beanName)) {
			for (Method method : this.check.lockedMethods(type)) {
				throw new LockSite(method, type).invalid("the class is final, so that it cannot be proxied",
						"Remove 'final' (in Kotlin: add 'open', or the kotlin-spring plugin), or lock a method of an interface and set spring.aop.proxy-target-class=false.");
			}
		}
		return bean;
	}

	private boolean isProxiedByClass(Class<?> type, String beanName) {
		if (ClassUtils.getAllInterfacesForClass(type).length == 0) {
			return true;
		}
		return !this.byInterfaces.contains(beanName)
				&& this.beanFactory.containsBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME)
				&& this.beanFactory.getBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME) instanceof ProxyConfig config
				&& config.isProxyTargetClass();
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof AopInfrastructureBean) {
			return bean;
		}
		Class<?> targetClass = this.check.lockedClass(bean);
		Checked checked = new Checked(targetClass, AopUtils.isJdkDynamicProxy(bean));
		List<LockedMethod> known = this.known.get(checked);
		List<LockedMethod> locked = (known != null) ? known : check(bean, checked);
		this.check.warnOfSelfCalls(bean, beanName, targetClass, locked);
		boolean inCircle = this.exposed.remove(beanName);
		locked.forEach((method) -> this.check.checkProxied(bean, inCircle, method));
		if (known == null) {
			accept(targetClass, locked);
			this.known.put(checked, locked);
		}
		this.order.add(beanName, locked);
		checkJobs(bean, beanName, locked);
		if (this.started) {
			checkPending();
			this.order.apply();
		}
		return bean;
	}

	// A bean without a definition may have any name
	private void checkJobs(Object bean, String beanName, List<LockedMethod> locked) {
		for (LockedMethod method : locked) {
			if (this.check.isJobWithoutKey(method.site()) && this.beanFactory.containsBean(beanName)) {
				this.jobs.add(bean, beanName, method);
			}
		}
	}

	private List<LockedMethod> check(Object bean, Checked checked) {
		Class<?> targetClass = checked.targetClass();
		List<LockedMethod> locked = new ArrayList<>();
		for (Method method : this.check.lockedMethods(targetClass)) {
			LockedMethod found = this.check.check(method, targetClass, checked.byInterface());
			TransactionOrder.check(bean, found);
			locked.add(found);
		}
		return locked;
	}

	// What needs other beans is checked when they are there. A bean that comes later is
	// refused for its own mistakes only, and each time.
	private void accept(Class<?> targetClass, List<LockedMethod> locked) {
		if (this.accepted.contains(targetClass)) {
			return;
		}
		if (!this.started) {
			this.pending.addAll(locked);
		}
		else if (!locked.isEmpty()) {
			Optional<Set<String>> names = this.strategies.get();
			locked.forEach((method) -> checkWithOthers(method, names));
		}
		if (this.accepted.add(targetClass)) {
			this.found.addAndGet(locked.size());
		}
	}

	/**
	 * Counts the locked methods.
	 * @return how many the beans have that were created so far
	 */
	public int lockedMethods() {
		return this.found.get();
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.started = true;
		checkPending();
		this.order.apply();
	}

	private void checkPending() {
		if (this.pending.isEmpty()) {
			return;
		}
		Optional<Set<String>> names = this.strategies.get();
		for (LockedMethod method = this.pending.poll(); method != null; method = this.pending.poll()) {
			checkWithOthers(method, names);
		}
	}

	private void checkWithOthers(LockedMethod method, Optional<Set<String>> strategies) {
		checkBeans(method);
		checkElection(method);
		LockedBeanCheck.warnOfJob(method, this.waits);
		checkStrategy(method, strategies);
	}

	private static void checkStrategy(LockedMethod method, Optional<Set<String>> names) {
		String strategy = method.strategy();
		if (strategy != null && names.isPresent() && !names.get().contains(strategy)) {
			throw method.site()
				.invalid("strategy", strategy, "names no lock strategy",
						"Use one of %s, or define a LockStrategy bean with that name."
							.formatted(String.join(", ", names.get().stream().sorted().toList())));
		}
	}

	private void checkElection(LockedMethod method) {
		String election = method.election();
		if (election != null && LockedMethods.election(this.beanFactory, election).isEmpty()) {
			throw method.site()
				.invalid("value", election, "names no leader election",
						"Add it to zk-lock.leader.names, or define a LeaderElection bean of that name.");
		}
	}

	private void checkBeans(LockedMethod method) {
		for (String bean : method.beans()) {
			if (!this.beanFactory.containsBean(bean)) {
				throw method.site()
					.invalid("an expression uses @%s, but there is no bean of that name".formatted(bean),
							"Define the bean, or put text that is meant literally into single quotes.");
			}
		}
	}

	/**
	 * Beans that are checked once, because what can be locked is the same of all.
	 *
	 * @param targetClass their class
	 * @param byInterface whether they are proxied by their interfaces
	 */
	private record Checked(Class<?> targetClass, boolean byInterface) {

	}

}
