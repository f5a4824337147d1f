package io.github.zklock.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.Advisor;
import org.springframework.aop.Pointcut;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.KotlinDetector;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

import io.github.zklock.ClusterJob;
import io.github.zklock.DistributedLock;
import io.github.zklock.aop.SelfCalls.SelfCall;

/**
 * Checks the class of a bean: everything that says that it is locked must be locked when
 * it is called on the bean.
 */
final class LockedBeanCheck {

	private static final Logger log = LoggerFactory.getLogger(LockedBeanCheck.class);

	private static final String SCHEDULED = "org.springframework.scheduling.annotation.Scheduled";

	/** Their post-processors keep the bean that they are shown. */
	private static final List<String> CALLED_WITHOUT_PROXY = List.of(SCHEDULED,
			"org.springframework.jms.annotation.JmsListener");

	/** Theirs do so too, and find the annotation on the methods of interfaces. */
	private static final List<String> FOUND_ON_INTERFACES = List.of(
			"org.springframework.kafka.annotation.KafkaListener", "org.springframework.kafka.annotation.KafkaHandler",
			"org.springframework.amqp.rabbit.annotation.RabbitListener",
			"org.springframework.amqp.rabbit.annotation.RabbitHandler",
			"org.springframework.pulsar.annotation.PulsarListener",
			"org.springframework.pulsar.reactive.config.annotation.ReactivePulsarListener");

	private static final String ASPECT = "org.aspectj.lang.annotation.Aspect";

	private static final String BEAN_METHOD = "org.springframework.context.annotation.Bean";

	private final LockedMethods methods;

	private final Map<Class<?>, List<Method>> locked = new ConcurrentHashMap<>();

	/** A class and a bean definition: others may have other methods that are called. */
	private final Set<List<?>> read = ConcurrentHashMap.newKeySet();

	/** A class and a call in it. */
	private final Set<List<?>> warned = ConcurrentHashMap.newKeySet();

	LockedBeanCheck(LockedMethods methods) {
		this.methods = methods;
	}

	/**
	 * Finds the locked methods of a class, also those that no proxy can lock.
	 * @param targetClass the class of a bean
	 * @return the methods, none for most classes
	 */
	List<Method> lockedMethods(Class<?> targetClass) {
		return this.locked.computeIfAbsent(targetClass, this::findLockedMethods);
	}

	private List<Method> findLockedMethods(Class<?> targetClass) {
		if (!LockedMethods.isCandidate(targetClass) && !Proxy.isProxyClass(targetClass)) {
			return List.of();
		}
		return candidates(targetClass).stream()
			.filter((method) -> !method.isSynthetic() && method.getDeclaringClass() != Object.class)
			.filter((method) -> this.methods.annotation(method, targetClass).isPresent())
			.toList();
	}

	/**
	 * Returns the methods of a bean.
	 * @param targetClass its class; of a proxy for interfaces those have them
	 * @return all of them, without those that are overridden in the class, and without
	 * the bridges of the compiler, also where they stand for what a public class inherits
	 * from one that is not
	 */
	static Set<Method> candidates(Class<?> targetClass) {
		if (Proxy.isProxyClass(targetClass)) {
			return Arrays.stream(ClassUtils.getAllInterfacesForClass(targetClass))
				.flatMap((type) -> Arrays.stream(type.getMethods()))
				.collect(Collectors.toCollection(LinkedHashSet::new));
		}
		return Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(targetClass))
			.map(BridgeMethodResolver::findBridgedMethod)
			.collect(Collectors.toCollection(LinkedHashSet::new));
	}

	boolean isJobWithoutKey(LockSite site) {
		return this.methods.annotation(site.method(), site.targetClass())
			.filter((annotation) -> annotation.from(ClusterJob.class) != null && annotation.keys().isEmpty())
			.isPresent();
	}

	/**
	 * Finds the class that says which methods of a bean are locked.
	 * @param bean the bean, or its proxy
	 * @return the class of the user's; that of a proxy for interfaces, such as a
	 * repository, where those are what is locked
	 */
	Class<?> lockedClass(Object bean) {
		Class<?> targetClass = ClassUtils.getUserClass(AopProxyUtils.ultimateTargetClass(bean));
		if (!lockedMethods(targetClass).isEmpty()) {
			return targetClass;
		}
		Object target = AopProxyUtils.getSingletonTarget(bean);
		if (target != null && Proxy.isProxyClass(target.getClass())) {
			return target.getClass();
		}
		return Proxy.isProxyClass(bean.getClass()) ? bean.getClass() : targetClass;
	}

	/**
	 * Checks that calls of a locked method come to its lock.
	 * @param bean the bean as what is behind Spring's proxies gets it
	 * @param inCircle whether others got its proxy before
	 * @param method a locked method of it
	 * @throws InvalidLockDefinitionException if Spring makes no proxy of such a bean, or
	 * made it too early for what calls the method, or would release the lock too early,
	 * or skip a repetition
	 */
	void checkProxied(Object bean, boolean inCircle, LockedMethod method) {
		if (isLocked(bean)) {
			AdviceOrder.check(bean, method, this.methods.beanFactory());
			return;
		}
		Class<?> type = AopUtils.getTargetClass(bean);
		if (Advice.class.isAssignableFrom(type) || Advisor.class.isAssignableFrom(type)
				|| Pointcut.class.isAssignableFrom(type)
				|| MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY).isPresent(ASPECT)) {
			throw method.site()
				.invalid("the bean is an aspect or a part of one, of which Spring makes no proxy",
						"Lock a method of another bean, which the aspect calls, or use LockClient in the method.");
		}
		if (inCircle && isCalledWithoutProxy(method.site().method())) {
			throw method.site()
				.invalid(
						"the bean is in a circular reference, so that what schedules it, or sends it messages, does without its proxy",
						"Break the circle, as with @Lazy at one of its injection points, or move the method to a bean of its own.");
		}
		if (!inCircle && isHidden(bean)) {
			throw method.site()
				.invalid(
						"the bean has a proxy by its interfaces already when the lock's would be made, which does not see the annotation on the class",
						"Put the annotation on the interface's method, or leave out the order of @EnableAsync, or of whatever else makes that proxy.");
		}
	}

	private static boolean isCalledWithoutProxy(Method method) {
		return CALLED_WITHOUT_PROXY.stream().anyMatch(MergedAnnotations.from(method)::isPresent)
				|| FOUND_ON_INTERFACES.stream()
					.anyMatch(MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY)::isPresent);
	}

	// What does not have its target at hand may have locked ones
	private boolean isHidden(Object bean) {
		return behind(bean) != null && AopUtils.isJdkDynamicProxy(bean) && lockedMethods(bean.getClass()).isEmpty();
	}

	/**
	 * Looks whether calls of a bean with locked methods come to no lock.
	 * @param bean the bean as what needs it gets it
	 * @return whether it is known that none of its proxies locks
	 */
	static boolean isUnlocked(Object bean) {
		return behind(bean) != null && !isLocked(bean);
	}

	private static @Nullable Object behind(Object bean) {
		Object target = bean;
		while (target != null && AopUtils.isAopProxy(target)) {
			target = AopProxyUtils.getSingletonTarget(target);
		}
		return target;
	}

	private static boolean isLocked(Object bean) {
		for (Object current = bean; current != null
				&& AopUtils.isAopProxy(current); current = AopProxyUtils.getSingletonTarget(current)) {
			// One that does not say what it does is taken for ours
			if (!(current instanceof Advised advised)
					|| Arrays.stream(advised.getAdvisors()).anyMatch(DistributedLockAdvisor.class::isInstance)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Checks a method that says that it is locked.
	 * @param method the method
	 * @param targetClass the class of the bean
	 * @param byInterface whether the bean is known to be proxied by its interfaces
	 * @return what its annotation says
	 * @throws InvalidLockDefinitionException if it would not be locked, or not as it says
	 */
	LockedMethod check(Method method, Class<?> targetClass, boolean byInterface) {
		LockSite site = new LockSite(method, targetClass);
		LockAnnotation annotation = this.methods.annotation(method, targetClass).orElseThrow();
		int modifiers = method.getModifiers();
		if (Modifier.isStatic(modifiers)) {
			throw site.invalid("the method is static, so that no proxy can lock it",
					"Remove 'static', or use LockClient in the method.");
		}
		if (Modifier.isPrivate(modifiers)) {
			throw site.invalid("the method is private, so that no proxy can lock it",
					"Make it public and call it from another bean, or use LockClient in the method.");
		}
		if (Modifier.isFinal(modifiers) && !byInterface) {
			checkFinal(site, annotation);
		}
		if (isOfAnotherPackage(method, targetClass)) {
			throw site.invalid(
					"the method is package-private and comes from another package, so that no proxy can lock it",
					"Make it public or protected, or use LockClient in the method.");
		}
		if (annotation.isOnMethod()) {
			checkReachable(site, byInterface);
		}
		if (MergedAnnotations.from(method).isPresent(BEAN_METHOD)) {
			throw site.invalid(
					"a @Bean method runs while its bean is made, so that nothing is locked when the bean is called",
					"Put the annotation on the methods of the bean's class, or use LockClient where it is made.");
		}
		LockedMethod found = this.methods.get(method, targetClass);
		if (found.fallback() != null) {
			found.fallback().checkExceptions(site, byInterface ? onInterfaces(method, targetClass) : List.of(method));
		}
		checkScheduled(found);
		return found;
	}

	// Of a suspending function Spring keeps what calls it
	private static void checkScheduled(LockedMethod locked) {
		Method method = locked.site().method();
		if (locked.returns() == ReturnKind.PUBLISHER && isScheduled(method)
				&& !KotlinDetector.isSuspendingFunction(method) && locked.varies()) {
			throw locked.site()
				.invalid(
						"the method is @Scheduled and returns a publisher, so that Spring calls it once, at start, and a key or condition that asks beans, types or the target, or makes an object, is evaluated only then",
						"Write a key that is always the same, and no such condition, or let the publisher call another bean's locked method at each subscription, as in Mono.defer(() -> reports.send()).");
		}
	}

	private static boolean isScheduled(Method method) {
		return MergedAnnotations.from(method).isPresent(SCHEDULED);
	}

	private static boolean isOfAnotherPackage(Method method, Class<?> targetClass) {
		int wider = Modifier.PUBLIC | Modifier.PROTECTED | Modifier.PRIVATE;
		return (method.getModifiers() & wider) == 0
				&& !method.getDeclaringClass().getPackageName().equals(targetClass.getPackageName());
	}

	/**
	 * Checks that the container does not call a locked method of a bean that it is about
	 * to make.
	 * @param definition the bean
	 * @param beanType its class
	 * @throws InvalidLockDefinitionException if it would call one, which would not be
	 * locked then
	 */
	void checkCallbacks(RootBeanDefinition definition, Class<?> beanType) {
		Class<?> targetClass = ClassUtils.getUserClass(beanType);
		ContainerCalls calls = new ContainerCalls(definition, beanType);
		for (Method method : lockedMethods(targetClass)) {
			String callback = calls.of(method);
			if (callback != null) {
				throw new LockSite(method, targetClass).invalid(
						"the container calls %s on the bean itself, so that no proxy can lock it".formatted(callback),
						"Move the work to another bean's method, or use LockClient in the method; an annotation on the class can go to those methods that need it, and @Bean(destroyMethod = \"\") makes no destroy method of one.");
			}
		}
	}

	/**
	 * Warns of calls that the locked methods of a bean get from the bean itself.
	 * @param bean the bean as what needs it gets it
	 * @param beanName its name
	 * @param targetClass the class of the bean
	 * @param locked its locked methods
	 */
	void warnOfSelfCalls(Object bean, String beanName, Class<?> targetClass, Collection<LockedMethod> locked) {
		// Most beans have none, and need not be read
		if (locked.isEmpty() || !this.read.add(List.of(targetClass, definition(beanName)))) {
			return;
		}
		Map<Method, LockedMethod> byMethod = new HashMap<>();
		locked.forEach((one) -> byMethod.put(one.site().method(), one));
		for (SelfCall call : SelfCalls.in(targetClass, byMethod.keySet(), AopUtils.isCglibProxy(bean),
				byContainer(beanName, targetClass))) {
			LockedMethod called = byMethod.get(call.called());
			boolean hasIt = locked.stream()
				.anyMatch((one) -> call.isBy(one.site().method()) && called != null
						&& one.template().equals(called.template()));
			if (called != null && !hasIt && this.warned.add(List.of(targetClass, call))) {
				log.warn(
						"{} is called by {} on the same object, which no proxy sees: it is not locked then. Call it through another bean, or use LockClient",
						called.site(), call.callerName());
			}
		}
	}

	// A bean without a definition may have any name
	private String definition(String beanName) {
		return (this.methods.beanFactory() instanceof ConfigurableListableBeanFactory beans
				&& beans.containsBeanDefinition(beanName)) ? beanName : "";
	}

	private Predicate<Method> byContainer(String beanName, Class<?> targetClass) {
		if (this.methods.beanFactory() instanceof ConfigurableListableBeanFactory beans
				&& beans.containsBeanDefinition(beanName)
				&& beans.getMergedBeanDefinition(beanName) instanceof RootBeanDefinition definition) {
			ContainerCalls calls = new ContainerCalls(definition, targetClass);
			return (method) -> calls.of(method) != null;
		}
		return (method) -> false;
	}

	/**
	 * Warns of a scheduled method that waits for its lock.
	 * @param method the method
	 * @param waits whether methods that give no time-out wait for their locks
	 */
	static void warnOfJob(LockedMethod method, BooleanSupplier waits) {
		if (method.timeout() == null && isScheduled(method.site().method()) && waits.getAsBoolean()) {
			log.warn(
					"{} is @Scheduled and waits for its lock, so that each instance runs it, one after the other. For one instance use @ClusterJob; if each is to run it, give a timeout",
					method.site());
		}
	}

	private static void checkFinal(LockSite site, LockAnnotation annotation) {
		Class<?> declaring = site.method().getDeclaringClass();
		if (annotation.isOnMethod()
				|| MergedAnnotations.from(declaring, SearchStrategy.TYPE_HIERARCHY).isPresent(DistributedLock.class)) {
			throw site.invalid("the method is final, so that a proxy of the class cannot lock it",
					"Remove 'final' (in Kotlin: add 'open', or the kotlin-spring plugin).");
		}
		log.warn("{} is final and comes from a superclass without @DistributedLock: it is not locked", site);
	}

	private static void checkReachable(LockSite site, boolean byInterface) {
		Method method = site.method();
		if (byInterface && onInterfaces(method, site.targetClass()).isEmpty()) {
			throw site.invalid("the bean is proxied by its interfaces, and none of them has the method",
					"Declare the method in an interface, or set spring.aop.proxy-target-class=true.");
		}
	}

	private static List<Method> onInterfaces(Method method, Class<?> targetClass) {
		return Arrays.stream(ClassUtils.getAllInterfacesForClass(targetClass))
			.flatMap((type) -> Arrays.stream(type.getMethods()))
			.filter((candidate) -> candidate.equals(method)
					|| AopUtils.getMostSpecificMethod(candidate, targetClass).equals(method))
			.toList();
	}

}
