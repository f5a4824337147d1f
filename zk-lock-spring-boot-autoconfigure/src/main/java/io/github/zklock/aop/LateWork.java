package io.github.zklock.aop;

import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.BaseStream;

import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/**
 * Results that do their work when the method has returned, and its lock is released: they
 * are refused, because neither their beginning nor their end is known here.
 */
final class LateWork {

	private static final int MAX_DEPTH = 4;

	private static final String HTTP_ENTITY = "org.springframework.http.HttpEntity";

	private static final String FUTURE = "Return a CompletableFuture, which holds the lock until it is complete, or lock a method that does the work before it returns.";

	private static final String DECLARED = "Declare CompletableFuture or CompletionStage as the return type, which holds the lock until the work is done.";

	private static final String CALLED = "Lock a method that does the work before it returns, or use LockClient in the work.";

	private static final String COLLECTED = "Return a CompletableFuture of all the results, which holds the lock until it is complete, or wait for them in the method and return what they gave. Declared as List<?>, they are taken for done.";

	private static final String ELEMENTS = "Return a collection, or lock the method that uses the elements.";

	private static final String COROUTINE = "Lock a suspending function that waits for the coroutine, with org.jetbrains.kotlinx:kotlinx-coroutines-reactor on the class path.";

	private static final String AWAITED = "Await the publisher in the function and return what it gives, or declare Flow as the return type.";

	private static final String AWAITED_FUTURE = "Await the future in the function and return what it gives.";

	private static final String AWAITED_ALL = "Await them in the function and return what they give.";

	private static final String BODY = "Write the body in a locked method of another bean, or use LockClient where it is written.";

	// These very types: a class of the user's that can also be run is a value, and so is
	// a channel to send to.
	private static final Map<String, String> EXACTLY = Map.of(Runnable.class.getName(), CALLED,
			Supplier.class.getName(), CALLED, "kotlin.jvm.functions.Function0", CALLED,
			"kotlinx.coroutines.channels.ReceiveChannel", COROUTINE);

	// These types and all below them.
	private static final Map<String, String> ALL = Map.of(Callable.class.getName(), FUTURE, BaseStream.class.getName(),
			ELEMENTS, Iterator.class.getName(), ELEMENTS, "kotlin.sequences.Sequence", ELEMENTS,
			"kotlinx.coroutines.Job", COROUTINE, "org.springframework.web.context.request.async.DeferredResult", FUTURE,
			"org.springframework.web.context.request.async.WebAsyncTask", FUTURE,
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter", BODY,
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody", BODY);

	private LateWork() {
	}

	/**
	 * Says what to do instead of returning a type, if its work is done late. What
	 * futures, publishers, optionals and responses have inside is looked at too, and
	 * whether elements of collections, arrays and maps go on.
	 * @param type the return type of a method
	 * @return what to change, or null if the type is no such one
	 */
	static @Nullable String remedy(ResolvableType type) {
		return remedy(type, MAX_DEPTH);
	}

	/**
	 * Says what to do instead of the result of a suspending function. A Mono and a Flow
	 * are followed by Spring; other publishers, futures and coroutines are not.
	 * @param type the type of the result
	 * @return what to change, or null if the type is no such one
	 */
	static @Nullable String remedyOfSuspended(ResolvableType type) {
		Class<?> raw = type.toClass();
		String remedy = isFuture(raw) ? AWAITED_FUTURE : remedy(type);
		if (COLLECTED.equals(remedy)) {
			return AWAITED_ALL;
		}
		boolean followed = ReturnKind.isOrExtends(raw, "reactor.core.publisher.Mono")
				|| ReturnKind.isOrExtends(raw, ReturnKind.FLOW);
		return (remedy == null && !followed && ReturnKind.isPublisher(raw)) ? AWAITED : remedy;
	}

	/**
	 * Says what to do instead of returning an object whose declared type says nothing.
	 * @param result what a method returned
	 * @return what to change, or null if its work is done
	 */
	static @Nullable String remedy(Object result) {
		Class<?> type = result.getClass();
		return isFuture(type) ? DECLARED : remedy(type);
	}

	/**
	 * Returns whether nothing says what a method returns, or what its future or publisher
	 * gives.
	 * @param type the return type of a method
	 * @return whether it is any object, or a future, or a publisher of one value at most,
	 * of objects
	 */
	static boolean isUndeclared(ResolvableType type) {
		Class<?> raw = type.toClass();
		return raw == Object.class || (isFollowed(raw) && !ReturnKind.isMany(raw)
				&& type.getGeneric().resolve(Object.class) == Object.class);
	}

	/**
	 * Says what to do instead of giving a value whose declared type says nothing.
	 * @param value what a future, or a publisher, of a method gave
	 * @return what to change, or null if its work is done
	 */
	static @Nullable String remedyOfValue(Object value) {
		Class<?> type = value.getClass();
		return isFollowed(type) ? FUTURE : remedy(type);
	}

	/**
	 * Says what to do instead of the result of a suspending function whose declared type
	 * says nothing. None is followed.
	 * @param result what the function returned
	 * @return what to change, or null if its work is done
	 */
	static @Nullable String remedyOfSuspended(Object result) {
		Class<?> type = result.getClass();
		String remedy = isFuture(type) ? AWAITED_FUTURE : remedy(type);
		return (remedy == null && ReturnKind.isPublisher(type)) ? AWAITED : remedy;
	}

	private static @Nullable String remedy(ResolvableType type, int depth) {
		Class<?> raw = type.toClass();
		String remedy = remedy(raw);
		ResolvableType element = element(type);
		if (remedy == null && element != null) {
			return remedyOfElement(element, depth);
		}
		if (remedy != null || depth == 0 || !(isFollowed(raw) || isWrapper(raw))) {
			return remedy;
		}
		for (ResolvableType inside : type.getGenerics()) {
			String found = (!ReturnKind.isMany(raw) && isFollowed(inside.toClass())) ? FUTURE
					: remedy(inside, depth - 1);
			if (found != null) {
				return found;
			}
		}
		return null;
	}

	// What the caller may call, or read, is one value among others. With the bridge to
	// Reactor a coroutine is a publisher, too.
	private static @Nullable String remedyOfElement(ResolvableType type, int depth) {
		Class<?> raw = type.toClass();
		if (COROUTINE.equals(remedy(raw))) {
			return COROUTINE;
		}
		if (isFollowed(raw)) {
			return COLLECTED;
		}
		ResolvableType inside = isWrapper(raw) ? type.getGeneric() : element(type);
		return (inside != null && depth > 0) ? remedyOfElement(inside, depth - 1) : null;
	}

	private static boolean isWrapper(Class<?> type) {
		return type == Optional.class || ReturnKind.isOrExtends(type, HTTP_ENTITY);
	}

	private static @Nullable ResolvableType element(ResolvableType type) {
		if (type.isArray()) {
			return type.getComponentType();
		}
		Class<?> raw = type.toClass();
		if (Map.class.isAssignableFrom(raw)) {
			return type.as(Map.class).getGeneric(1);
		}
		return Iterable.class.isAssignableFrom(raw) ? type.as(Iterable.class).getGeneric() : null;
	}

	private static boolean isFollowed(Class<?> type) {
		return isFuture(type) || ReturnKind.isPublisher(type);
	}

	private static boolean isFuture(Class<?> type) {
		return CompletionStage.class.isAssignableFrom(type) || Future.class.isAssignableFrom(type);
	}

	private static @Nullable String remedy(Class<?> type) {
		String exactly = EXACTLY.get(type.getName());
		if (exactly != null) {
			return exactly;
		}
		for (Map.Entry<String, String> late : ALL.entrySet()) {
			if (ReturnKind.isOrExtends(type, late.getKey())) {
				return late.getValue();
			}
		}
		return null;
	}

}
