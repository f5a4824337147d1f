package io.github.zklock.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

import io.github.zklock.DistributedLock;

/**
 * The method that is locked, and how it is named to people.
 *
 * @param method the method that runs
 * @param targetClass the class of the bean
 */
record LockSite(Method method, Class<?> targetClass) {

	InvalidLockDefinitionException invalid(String problem, String remedy) {
		return invalid(problem, remedy, null);
	}

	InvalidLockDefinitionException invalid(String problem, String remedy, @Nullable Throwable cause) {
		return new InvalidLockDefinitionException("@%s on %s: %s.".formatted(annotation(), this, problem), remedy,
				cause);
	}

	private String annotation() {
		LockAnnotation found = LockAnnotation.find(this.method, this.targetClass);
		return ((found != null) ? found.type() : DistributedLock.class).getSimpleName();
	}

	InvalidLockDefinitionException invalid(String attribute, String value, String problem, String remedy) {
		return invalid(attribute, value, problem, remedy, null);
	}

	InvalidLockDefinitionException invalid(String attribute, String value, String problem, String remedy,
			@Nullable Throwable cause) {
		return invalid("%s = \"%s\" %s".formatted(attribute, value, problem), remedy, cause);
	}

	/**
	 * Returns what the method returns, as far as the class of the bean says.
	 * @return the type, also where the method declares a type variable
	 */
	Class<?> returnType() {
		return returnType(this.method);
	}

	/**
	 * Returns what another method of the bean returns.
	 * @param other the method
	 * @return the type, also where the method declares a type variable
	 */
	Class<?> returnType(Method other) {
		Class<?> erased = other.getReturnType();
		return (other.getGenericReturnType() instanceof TypeVariable<?>)
				? ResolvableType.forMethodReturnType(other, this.targetClass).resolve(erased) : erased;
	}

	/**
	 * Returns what a method of the bean takes.
	 * @param any the method
	 * @return the types, also where the method declares type variables
	 */
	Class<?>[] parameterTypes(Method any) {
		Class<?>[] types = any.getParameterTypes();
		for (int i = 0; i < types.length; i++) {
			types[i] = ResolvableType.forMethodParameter(any, i, this.targetClass).resolve(types[i]);
		}
		return types;
	}

	/**
	 * Returns the key of a method that names none. The type is the one that has the
	 * method's code, so that the key is the same in every JVM, with its package, so that
	 * types of one simple name do not share it.
	 * @return {@code package.Type.method}
	 */
	String defaultKey() {
		return this.method.getDeclaringClass().getName() + "." + this.method.getName();
	}

	@Override
	public String toString() {
		Class<?> type = Proxy.isProxyClass(this.targetClass) ? this.method.getDeclaringClass() : this.targetClass;
		return "%s.%s(%s)".formatted(type.getName(), this.method.getName(),
				Arrays.stream(this.method.getParameterTypes())
					.map(Class::getSimpleName)
					.collect(Collectors.joining(", ")));
	}

}
