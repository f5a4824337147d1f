package io.github.zklock.aop;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;

/**
 * What a method returns that was skipped.
 */
final class EmptyResult {

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
