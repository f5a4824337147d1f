package io.github.zklock.aop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;

import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.ClassUtils;

/**
 * When the work of a method is done.
 */
enum ReturnKind {

	/** When the method returns. */
	VALUE,

	/** When the {@link CompletionStage} that the method returns is complete. */
	FUTURE,

	/** When a future is done that cannot report it by itself. */
	OPAQUE_FUTURE,

	/** When the publisher that the method returns has ended; Reactor is there. */
	PUBLISHER,

	/** When a publisher has ended that nobody here can follow. */
	OPAQUE_PUBLISHER,

	/** When a suspending function has ended that nobody here can follow. */
	COROUTINE;

	/** Kotlin's publisher, by name because it is optional. */
	static final String FLOW = "kotlinx.coroutines.flow.Flow";

	private static final String PUBLISHER_NAME = "org.reactivestreams.Publisher";

	private static final ClassValue<Boolean> PUBLISHERS = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			// The registry knows no publishers when there is no Reactor.
			return Flow.Publisher.class.isAssignableFrom(type)
					|| ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null
					|| isOrExtends(type, PUBLISHER_NAME);
		}

	};

	/** Whether publishers can be followed at all. */
	static final boolean REACTOR_PRESENT = ClassUtils.isPresent("reactor.core.publisher.Flux",
			ReturnKind.class.getClassLoader());

	/** Whether Spring makes publishers of coroutines. */
	private static final boolean COROUTINES_PRESENT = REACTOR_PRESENT
			&& ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt", ReturnKind.class.getClassLoader());

	static ReturnKind of(LockSite site) {
		Class<?> type = site.returnType();
		if (KotlinDetector.isSuspendingFunction(site.method())) {
			return COROUTINES_PRESENT ? PUBLISHER : COROUTINE;
		}
		if (type == CompletionStage.class || type == CompletableFuture.class) {
			return FUTURE;
		}
		if (CompletionStage.class.isAssignableFrom(type) || Future.class.isAssignableFrom(type)) {
			return OPAQUE_FUTURE;
		}
		if (!isPublisher(type)) {
			return VALUE;
		}
		return (REACTOR_PRESENT && canBeMade(type)) ? PUBLISHER : OPAQUE_PUBLISHER;
	}

	/**
	 * Returns whether a type represents work that goes on, or only begins, after the
	 * method has returned.
	 * @param type the type of a result
	 * @return true for publishers and what can be adapted to one
	 */
	static boolean isPublisher(Class<?> type) {
		return PUBLISHERS.get(type);
	}

	/**
	 * Returns whether a type is a publisher of several elements. Such a publisher of
	 * publishers is one whose user says when each of them runs, as with windows.
	 * @param type the type of a result
	 * @return false for all that has one value at most
	 */
	static boolean isMany(Class<?> type) {
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
		return isPublisher(type) && (adapter == null || adapter.isMultiValue());
	}

	/**
	 * Returns whether a type is one that may be missing from the class path, or a subtype
	 * of it.
	 * @param type the type, or null for none
	 * @param name the name of the one that may be missing
	 * @return whether it, a superclass or an interface of these has the name
	 */
	static boolean isOrExtends(@Nullable Class<?> type, String name) {
		if (type == null) {
			return false;
		}
		if (type.getName().equals(name) || isOrExtends(type.getSuperclass(), name)) {
			return true;
		}
		for (Class<?> implemented : type.getInterfaces()) {
			if (isOrExtends(implemented, name)) {
				return true;
			}
		}
		return false;
	}

	// A publisher of ours can be turned into the very type, not into a subtype such as
	// ConnectableFlux.
	private static boolean canBeMade(Class<?> type) {
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
		return adapter != null && adapter.getReactiveType() == type && adapter.getDescriptor().isDeferred();
	}

}
