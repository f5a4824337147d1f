package io.github.zklock.aop;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockTimeoutException;

/**
 * The method that is called on the bean itself when the lock is busy.
 *
 * @param method the method
 * @param takesException whether its last parameter is the exception
 */
record FallbackMethod(Method method, boolean takesException) {

	static FallbackMethod find(LockSite site, String name) {
		List<Method> named = LockedBeanCheck.candidates(site.targetClass())
			.stream()
			.filter((candidate) -> candidate.getName().equals(name) && !candidate.isBridge())
			.toList();
		FallbackMethod found = named.stream()
			.filter((candidate) -> takes(candidate, site, true))
			.findFirst()
			.map((candidate) -> new FallbackMethod(candidate, true))
			.or(() -> named.stream()
				.filter((candidate) -> takes(candidate, site, false))
				.findFirst()
				.map((candidate) -> new FallbackMethod(candidate, false)))
			.orElseThrow(() -> site.invalid("fallback", name,
					named.isEmpty() ? "names no method of the class" : "names no method with the right parameters",
					"Declare a method '%s' with the same parameters as '%s', optionally followed by a LockTimeoutException."
						.formatted(name, site.method().getName())));
		found.check(site);
		ReflectionUtils.makeAccessible(found.method);
		return found;
	}

	private static boolean takes(Method candidate, LockSite site, boolean exception) {
		Class<?>[] actual = site.parameterTypes(candidate);
		Class<?>[] expected = site.parameterTypes(site.method());
		if (!exception) {
			return Arrays.equals(actual, expected);
		}
		return actual.length == expected.length + 1
				&& Arrays.equals(actual, 0, expected.length, expected, 0, expected.length)
				&& Throwable.class.isAssignableFrom(actual[expected.length])
				&& actual[expected.length].isAssignableFrom(LockTimeoutException.class);
	}

	private void check(LockSite site) {
		Class<?> expected = site.returnType();
		Class<?> actual = site.returnType(this.method);
		if (expected != void.class && !ClassUtils.isAssignable(expected, actual)) {
			throw site.invalid(
					"fallback", this.method.getName(), "names a method that returns %s where %s is needed"
						.formatted(actual.getSimpleName(), expected.getSimpleName()),
					"Give the fallback the return type of the locked method.");
		}
		if (MergedAnnotations.from(this.method, SearchStrategy.TYPE_HIERARCHY).isPresent(DistributedLock.class)) {
			throw site.invalid("fallback", this.method.getName(),
					"names a method that has a @DistributedLock itself, which would not be taken on this way",
					"Remove the annotation from the fallback; it is called on the bean itself, without any lock.");
		}
	}

	/**
	 * Checks that what it throws reaches the callers as it is.
	 * @param site the locked method
	 * @param called the methods that callers know
	 * @throws InvalidLockDefinitionException if it declares an exception that one of
	 * these does not
	 */
	void checkExceptions(LockSite site, Collection<Method> called) {
		// A publisher signals them, and class proxies let all that Kotlin throws pass
		if (ReturnKind.of(site) == ReturnKind.PUBLISHER
				|| (called.contains(site.method()) && KotlinDetector.isKotlinType(site.targetClass()))) {
			return;
		}
		ResolvableType owner = ResolvableType.forClass(site.targetClass()).as(this.method.getDeclaringClass());
		for (Type type : this.method.getGenericExceptionTypes()) {
			Class<?> thrown = ResolvableType.forType(type, owner).resolve(Exception.class);
			if (!RuntimeException.class.isAssignableFrom(thrown) && !Error.class.isAssignableFrom(thrown)
					&& !called.stream().allMatch((method) -> ReflectionUtils.declaresException(method, thrown))) {
				throw site.invalid("fallback", this.method.getName(),
						"names a method that declares %s, which %s does not, so that callers would get an UndeclaredThrowableException"
							.formatted(thrown.getSimpleName(), site.method().getName()),
						"Declare it there, too, or catch it in the fallback.");
			}
		}
	}

	@Nullable Object invoke(@Nullable Object target, @Nullable Object[] arguments, LockTimeoutException cause) throws Throwable {
		@Nullable Object[] actual = arguments;
		if (this.takesException) {
			actual = Arrays.copyOf(arguments, arguments.length + 1);
			actual[arguments.length] = cause;
		}
		try {
			return this.method.invoke(target, actual);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

}
