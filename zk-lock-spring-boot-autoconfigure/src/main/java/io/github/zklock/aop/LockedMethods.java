package io.github.zklock.aop;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.expression.EvaluationContext;
import org.springframework.util.ClassUtils;

import io.github.zklock.DistributedLock;
import io.github.zklock.LeaderElection;
import io.github.zklock.LockClient;

/**
 * Knows which methods are locked and what their annotations say. Each method is looked at
 * once. Part of what makes proxies, so that it gets none itself.
 *
 * @since 0.1.0
 */
public final class LockedMethods implements BeanFactoryAware, AopInfrastructureBean {

	private final Map<MethodClassKey, Optional<LockAnnotation>> annotations = new ConcurrentHashMap<>();

	private final Map<MethodClassKey, LockedMethod> methods = new ConcurrentHashMap<>();

	private final Map<String, LockClient> leaders = new ConcurrentHashMap<>();

	private @Nullable LockExpressions expressions;

	/**
	 * Creates an empty collection, to be given its bean factory.
	 */
	public LockedMethods() {
	}

	/**
	 * Creates an empty collection.
	 * @param beanFactory resolves placeholders and the beans of expressions
	 */
	public LockedMethods(ConfigurableBeanFactory beanFactory) {
		setBeanFactory(beanFactory);
	}

	@Override
	public void setBeanFactory(BeanFactory beanFactory) {
		this.expressions = new LockExpressions((ConfigurableBeanFactory) beanFactory);
	}

	private LockExpressions expressions() {
		return Objects.requireNonNull(this.expressions, "There is no bean factory");
	}

	/**
	 * Returns where the beans are.
	 * @return what resolves placeholders and the beans of expressions
	 */
	ConfigurableBeanFactory beanFactory() {
		return expressions().beanFactory();
	}

	private static String resolve(ConfigurableBeanFactory beanFactory, String text) {
		if (!text.contains("${")) {
			return text;
		}
		String resolved = beanFactory.resolveEmbeddedValue(text);
		if (resolved == null || resolved.contains("${")) {
			throw new IllegalArgumentException("Could not resolve " + text);
		}
		return resolved;
	}

	static boolean isCandidate(Class<?> type) {
		return AnnotationUtils.isCandidateClass(type, DistributedLock.class);
	}

	/**
	 * Finds the annotation of a method.
	 * @param method a method of the class or of an interface of it
	 * @param targetClass the class of the bean
	 * @return the annotation that applies, or empty if the method is not locked
	 */
	Optional<LockAnnotation> annotation(Method method, Class<?> targetClass) {
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		return this.annotations.computeIfAbsent(new MethodClassKey(method, userClass), (key) -> Optional
			.ofNullable(LockAnnotation.find(LockAnnotation.specific(method, userClass), userClass)));
	}

	/**
	 * Reads a locked method.
	 * @param method a method of the class or of an interface of it, with an annotation
	 * @param targetClass the class of the bean
	 * @return what its annotation says
	 * @throws InvalidLockDefinitionException if it cannot work
	 */
	LockedMethod get(Method method, Class<?> targetClass) {
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		MethodClassKey key = new MethodClassKey(method, userClass);
		LockedMethod known = this.methods.get(key);
		return (known != null) ? known : this.methods.computeIfAbsent(key, (missing) -> read(method, userClass));
	}

	private LockedMethod read(Method method, Class<?> userClass) {
		LockSite site = new LockSite(LockAnnotation.specific(method, userClass), userClass);
		LockAnnotation annotation = annotation(method, userClass)
			.orElseThrow(() -> new IllegalArgumentException(site + " has no @DistributedLock"));
		return new LockedMethodReader(site, annotation, expressions(), (text) -> resolve(beanFactory(), text)).read();
	}

	/**
	 * Finds what gives a method of a leader its lock.
	 * @param election the name of the election
	 * @return the same for each call
	 */
	LockClient leader(String election) {
		return this.leaders.computeIfAbsent(election, (name) -> new LeaderClient(() -> election(beanFactory(), name)
			.orElseThrow(() -> new IllegalStateException("There is no leader election '" + name + "'"))));
	}

	/**
	 * Finds the bean of an election. A mock, which has no name, is that of the election
	 * in whose bean's place it is.
	 * @param beanFactory has the beans
	 * @param name the name of the election, which need not be that of the bean
	 * @return the election, or empty if there is none
	 */
	static Optional<LeaderElection> election(BeanFactory beanFactory, String name) {
		return beanFactory.getBeanProvider(LeaderElection.class)
			.stream()
			.filter((election) -> name.equals(election.name()))
			.findFirst()
			.or(() -> mock(beanFactory, name + "LeaderElection"));
	}

	private static Optional<LeaderElection> mock(BeanFactory beanFactory, String bean) {
		return (beanFactory.containsBean(bean) && beanFactory.getBean(bean) instanceof LeaderElection election
				&& election.name() == null) ? Optional.of(election) : Optional.empty();
	}

	EvaluationContext context(LockedMethod method, LockCallRoot root) {
		return expressions().context(method.declaration(), root);
	}

}
