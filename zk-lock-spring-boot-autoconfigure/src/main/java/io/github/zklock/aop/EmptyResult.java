package io.github.zklock.aop;

import java.lang.reflect.Method;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;

/**
 * What a method returns that was skipped.
 */
final class EmptyResult {

	private static final String UNIT = "kotlin.Unit";

	private EmptyResult() {
	}

	/**
	 * Returns whether a type has an empty value. Primitives have none, nor have
	 * publishers that must emit a value.
	 * @param type the return type of a method
	 * @return whether {@link #of} may be called
	 */
	static boolean existsFor(Class<?> type) {
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
		return (!type.isPrimitive() || type == void.class) && (adapter == null || adapter.supportsEmpty());
	}

	/**
	 * Returns whether a function of Kotlin's has no result that it may return when it was
	 * skipped: neither null nor another empty value.
	 * @param method the method
	 * @param targetClass the class of the bean
	 * @return false for all methods that are not Kotlin's
	 */
	static boolean isForbiddenNull(Method method, Class<?> targetClass) {
		boolean suspending = KotlinDetector.isSuspendingFunction(method);
		if (!suspending && !(KotlinDetector.isKotlinReflectPresent()
				&& KotlinDetector.isKotlinType(method.getDeclaringClass()))) {
			return false;
		}
		MethodParameter result = new MethodParameter(method, -1);
		if (result.isOptional()) {
			return false;
		}
		Class<?> type = result.getParameterType();
		// Nobody looks at it: Spring returns null for a suspending function that has run
		if (type == void.class || type.getName().equals(UNIT)) {
			return false;
		}
		// Of the empty publisher that stands for it Spring makes null, or a Flow
		return suspending ? !type.getName().equals(ReturnKind.FLOW)
				: of(ResolvableType.forMethodReturnType(method, targetClass)) == null;
	}

	/**
	 * Returns the empty value of a type.
	 * @param type the return type of a method
	 * @return null, or an empty {@code Optional} or publisher, or a completed future of
	 * the empty value of its own type
	 */
	@SuppressWarnings("FutureReturnValueIgnored") // it goes to the caller as the result
	static @Nullable Object of(ResolvableType type) {
		Class<?> raw = type.toClass();
		if (raw == Optional.class) {
			return Optional.empty();
		}
		if (raw == OptionalInt.class) {
			return OptionalInt.empty();
		}
		if (raw == OptionalLong.class) {
			return OptionalLong.empty();
		}
		if (raw == OptionalDouble.class) {
			return OptionalDouble.empty();
		}
		if (CompletionStage.class.isAssignableFrom(raw)) {
			return CompletableFuture.completedFuture(of(type.as(CompletionStage.class).getGeneric()));
		}
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(raw);
		return (adapter != null && adapter.supportsEmpty()) ? adapter.getDescriptor().getEmptyValue() : null;
	}

}
