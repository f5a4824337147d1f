package io.github.zklock.aop;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

import io.github.zklock.ClusterJob;
import io.github.zklock.DistributedLock;
import io.github.zklock.LeaderOnly;

/**
 * The annotation that applies to a method, and where it was written. The nearest one
 * applies: on the method itself, on a method that it overrides or implements, be it as
 * one that the class inherits, on the class or a superclass, on an interface that has the
 * method.
 *
 * @param merged the annotation with all overrides of its meta-annotations
 * @param source the method or type that carries it
 */
record LockAnnotation(MergedAnnotation<DistributedLock> merged, AnnotatedElement source) {

	/**
	 * Returns the method that runs when another one is called.
	 * @param method a method of the class or of an interface of it
	 * @param targetClass the class of the bean
	 * @return the method of the class; the one given if the class is made at run time, so
	 * that its methods say nothing
	 */
	static Method specific(Method method, Class<?> targetClass) {
		boolean generated = Proxy.isProxyClass(targetClass) || targetClass.isHidden() || targetClass.isSynthetic();
		return generated ? method : AopUtils.getMostSpecificMethod(method, targetClass);
	}

	static @Nullable LockAnnotation find(Method method, Class<?> targetClass) {
		LockAnnotation onMethod = on(method, SearchStrategy.TYPE_HIERARCHY);
		if (onMethod != null || !appliesToTypes(method)) {
			return onMethod;
		}
		LockAnnotation onImplemented = implemented(ClassUtils.getAllInterfacesForClass(targetClass), method,
				targetClass)
			.map((declared) -> on(declared, SearchStrategy.TYPE_HIERARCHY))
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
		if (onImplemented != null) {
			return onImplemented;
		}
		LockAnnotation onClass = on(targetClass, SearchStrategy.SUPERCLASS);
		return (onClass != null) ? onClass : onInterface(method, targetClass);
	}

	private static @Nullable LockAnnotation onInterface(Method method, Class<?> targetClass) {
		for (Class<?> type : ClassUtils.getAllInterfacesForClass(targetClass)) {
			LockAnnotation found = on(type, SearchStrategy.TYPE_HIERARCHY);
			if (found != null && implemented(new Class<?>[] { type }, method, targetClass).findAny().isPresent()) {
				return found;
			}
		}
		return null;
	}

	private static @Nullable LockAnnotation on(AnnotatedElement element, SearchStrategy strategy) {
		MergedAnnotation<DistributedLock> merged = MergedAnnotations.from(element, strategy).get(DistributedLock.class);
		if (!merged.isPresent()) {
			return null;
		}
		return new LockAnnotation(merged, (merged.getSource() instanceof AnnotatedElement source) ? source : element);
	}

	private static boolean appliesToTypes(Method method) {
		return Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers())
				&& !method.isSynthetic() && method.getDeclaringClass() != Object.class
				&& !ReflectionUtils.isObjectMethod(method);
	}

	private static Stream<Method> implemented(Class<?>[] types, Method method, Class<?> targetClass) {
		return Arrays.stream(types)
			.flatMap((type) -> Arrays.stream(type.getMethods()))
			.filter((declared) -> declared.getName().equals(method.getName())
					&& specific(declared, targetClass).equals(method));
	}

	boolean isOnMethod() {
		return this.source instanceof Method;
	}

	/**
	 * Returns all that the element carries, directly or through meta-annotations.
	 * @return at least one, the one that applies first
	 */
	List<MergedAnnotation<DistributedLock>> all() {
		return MergedAnnotations.from(this.source).stream(DistributedLock.class).toList();
	}

	/**
	 * Returns whether all that the element carries were written together, repeated.
	 * @return false if they come through several annotations
	 */
	boolean isOne() {
		return all().stream().map(MergedAnnotation::getMetaTypes).distinct().count() == 1;
	}

	/**
	 * Returns the annotation that brings {@code @DistributedLock}, if it is of a type.
	 * @param type {@code LeaderOnly} or {@code ClusterJob}
	 * @return the annotation, or null if another one brings it, or none
	 */
	@Nullable MergedAnnotation<?> from(Class<? extends Annotation> type) {
		MergedAnnotation<?> meta = this.merged.getMetaSource();
		return (meta != null && meta.getType() == type) ? meta : null;
	}

	/**
	 * Returns the annotation that people see on the element, of several the one that says
	 * most.
	 * @return {@code LeaderOnly}, {@code ClusterJob} or {@code DistributedLock}
	 */
	Class<? extends Annotation> type() {
		return all().stream()
			.<MergedAnnotation<?>>map(MergedAnnotation::getMetaSource)
			.filter((meta) -> meta != null
					&& (meta.getType() == LeaderOnly.class || meta.getType() == ClusterJob.class))
			.<Class<? extends Annotation>>map(MergedAnnotation::getType)
			.findFirst()
			.orElse(DistributedLock.class);
	}

	/**
	 * Returns all keys.
	 * @return the texts, none if the method's name is the key
	 */
	List<String> keys() {
		return all().stream().flatMap((each) -> keys(each).stream()).toList();
	}

	/**
	 * Returns the attribute that is given, be it the key or its alias; by hand, because
	 * the annotation knows no Spring.
	 * @param merged one of {@link #all}
	 * @return the texts, none if neither is given
	 * @throws IllegalStateException if both are given and differ
	 */
	static List<String> keys(MergedAnnotation<DistributedLock> merged) {
		List<String> own = keysOf(merged);
		MergedAnnotation<?> meta = merged.getMetaSource();
		// Plain annotations have no @AliasFor, so those of @ClusterJob are read from it
		if (meta == null || meta.getType() != ClusterJob.class) {
			return own;
		}
		// Spring before 7 takes an attribute of the same name for an alias
		if (own.equals(keysOf(meta.withNonMergedAttributes()))) {
			own = List.of();
		}
		List<String> jobs = keysOf(meta);
		if (own.isEmpty() || jobs.isEmpty() || own.equals(jobs)) {
			return jobs.isEmpty() ? own : jobs;
		}
		throw new IllegalStateException("the key of @ClusterJob is " + jobs + ", but that of @DistributedLock " + own);
	}

	// An attribute of one text stands for none if that is empty
	private static List<String> given(MergedAnnotation<?> merged, String attribute) {
		List<String> texts = List.of(merged.getStringArray(attribute));
		return texts.equals(List.of("")) ? List.of() : texts;
	}

	private static List<String> keysOf(MergedAnnotation<?> merged) {
		List<String> keys = given(merged, "key");
		List<String> values = given(merged, "value");
		if (keys.isEmpty() || values.isEmpty() || keys.equals(values)) {
			return keys.isEmpty() ? values : keys;
		}
		throw new IllegalStateException("the attribute 'key' says " + keys + ", but its alias 'value' says " + values);
	}

}
