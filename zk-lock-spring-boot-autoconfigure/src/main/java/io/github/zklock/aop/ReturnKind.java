package io.github.zklock.aop;

import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;

import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapterRegistry;

/**
 * When the work of a method is done.
 */
enum ReturnKind {

	/** When the method returns. */
	VALUE,

	/** When the {@link CompletionStage} that the method returns is complete. */
	FUTURE,

	/** When a future is done that cannot tell so by itself. */
	OPAQUE_FUTURE,

	/** When the publisher that the method returns has ended. */
	PUBLISHER,

	/** When the coroutine has ended. */
	COROUTINE;

	static ReturnKind of(Method method) {
		if (KotlinDetector.isSuspendingFunction(method)) {
			return COROUTINE;
		}
		Class<?> type = method.getReturnType();
		if (type == CompletionStage.class || type == CompletableFuture.class) {
			return FUTURE;
		}
		if (CompletionStage.class.isAssignableFrom(type) || Future.class.isAssignableFrom(type)) {
			return OPAQUE_FUTURE;
		}
		return isPublisher(type) ? PUBLISHER : VALUE;
	}

	/**
	 * Tells whether a type stands for work that goes on, or only begins, after the method
	 * has returned.
	 * @param type the type of a result
	 * @return true for publishers and what can be adapted to one
	 */
	static boolean isPublisher(Class<?> type) {
		return Flow.Publisher.class.isAssignableFrom(type)
				|| ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
	}

}
