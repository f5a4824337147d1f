package io.github.zklock.aop;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.expression.EvaluationContext;
import org.springframework.util.ClassUtils;

import io.github.zklock.DistributedLock;

/**
 * Knows which methods are locked and what their annotations say. Each method is looked at
 * once.
 *
 * @since 0.1.0
 */
public final class LockedMethods {

	private final Map<MethodClassKey, Optional<LockAnnotation>> annotations = new ConcurrentHashMap<>();

	private final Map<MethodClassKey, LockedMethod> methods = new ConcurrentHashMap<>();

	private final LockExpressions expressions;

	private final Placeholders placeholders;

	/**
	 * Creates an empty collection.
	 * @param beanFactory resolves placeholders and the beans of expressions
	 */
	public LockedMethods(ConfigurableBeanFactory beanFactory) {
		this.expressions = new LockExpressions(beanFactory);
		this.placeholders = (text) -> resolve(beanFactory, text);
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
		return new LockedMethodReader(site, annotation, this.expressions, this.placeholders).read();
	}

	EvaluationContext context(LockedMethod method, LockCallRoot root) {
		return this.expressions.context(method.declaration(), root);
	}

}
