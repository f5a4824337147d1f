package io.github.zklock.aop;

import java.lang.reflect.Method;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.Assert;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.FluxSink.OverflowStrategy;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

import io.github.zklock.LockClient;
import io.github.zklock.LockContext;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;

/**
 * A call of a method that returns a publisher. The method runs once for each subscription
 * to what the caller gets, when that subscription's lock is held.
 *
 * <p>
 * This class, {@link PublisherCall} and {@link ReactiveLockContext} know Reactor. They
 * are touched only by calls of methods that return publishers, and these are refused at
 * start-up when Reactor is not there.
 *
 * @param method the method
 * @param request the keys of the call, evaluated once
 * @param client acquires the locks
 * @param invocation the call, never proceeded itself
 * @param adapter turns publishers into the return type and back
 * @param inner keeps a proxy inside of the call's from locking again
 */
record LockedPublisher(LockedMethod method, LockRequest request, Supplier<LockClient> client,
		ProxyMethodInvocation invocation, ReactiveAdapter adapter, InnerProxy inner) {

	private static final Logger log = LoggerFactory.getLogger(LockedPublisher.class);

	/**
	 * Defers a call.
	 * @param invocation the call
	 * @param method the method
	 * @param request the keys of the call
	 * @param client acquires the locks
	 * @param inner keeps a proxy inside of the call's from locking again
	 * @return what the method declares to return
	 */
	static Object of(MethodInvocation invocation, LockedMethod method, LockRequest request, Supplier<LockClient> client,
			InnerProxy inner) {
		Class<?> type = publisherType(method.site());
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
		Assert.state(adapter != null, () -> type + " cannot be adapted any more");
		Assert.state(invocation instanceof ProxyMethodInvocation, "Spring's proxies make calls that can be deferred");
		ProxyMethodInvocation deferred = (ProxyMethodInvocation) ((ProxyMethodInvocation) invocation).invocableClone();
		return new LockedPublisher(method, request, client, deferred, adapter, inner).publisher();
	}

	// Inside of a proxy a suspending function returns a Mono, or a Flux for a Flow.
	private static Class<?> publisherType(LockSite site) {
		if (!KotlinDetector.isSuspendingFunction(site.method())) {
			return site.returnType();
		}
		Class<?> declared = new MethodParameter(site.method(), -1).getParameterType();
		return declared.getName().equals(ReturnKind.FLOW) ? Flux.class : Mono.class;
	}

	private Object publisher() {
		// What the publisher emits was asked for, so that only a single value, which is
		// emitted at the end, ever waits here.
		OverflowStrategy overflow = isSingle() ? OverflowStrategy.BUFFER : OverflowStrategy.IGNORE;
		return this.adapter.fromPublisher(Flux.create(this::begin, overflow));
	}

	private void begin(FluxSink<Object> sink) {
		new PublisherCall(this, sink).begin();
	}

	boolean isSingle() {
		return !this.adapter.isMultiValue();
	}

	/**
	 * Runs the method, which makes the publisher.
	 * @param handle the lock
	 * @param owners the call, and those around it
	 * @return what the method returned
	 * @throws Throwable what the method threw
	 */
	@Nullable Object proceed(CallHandle handle, LockOwners.Entry owners) throws Throwable {
		try (LockContext.Scope current = LockContext.open(handle);
				LockOwners.Scope calls = LockOwners.open(owners);
				LockOwners.Scope further = this.inner.open(this.invocation)) {
			// Aspects inside the lock ask the thread for the call, and the
			// caller may have left the thread that had it.
			return ExposeInvocationInterceptor.INSTANCE.invoke(this.invocation.invocableClone());
		}
	}

	/**
	 * Adapts what the method, or its fallback, returned.
	 * @param returned the publisher
	 * @return the same, as a publisher
	 * @throws IllegalStateException if it returned null
	 */
	Publisher<?> adapt(@Nullable Object returned) {
		if (returned == null) {
			throw new IllegalStateException("%s returned null instead of a publisher".formatted(this.method.site()));
		}
		return this.adapter.toPublisher(returned);
	}

	/**
	 * Says what to do instead of a value, if its work is done late. What a publisher
	 * gives is not known before if nothing declares it, nor what a suspending function
	 * returns if it declares {@code Any}, or a variable.
	 * @param value the single value of the publisher
	 * @return what to change, or null if it may be emitted
	 */
	@Nullable String remedy(Object value) {
		Method called = this.method.site().method();
		boolean undeclared = KotlinDetector.isSuspendingFunction(called)
				&& new MethodParameter(called, -1).getParameterType() == Object.class;
		if (undeclared) {
			return LateWork.remedyOfSuspended(value);
		}
		return this.method.undeclared() ? LateWork.remedyOfValue(value) : null;
	}

	/**
	 * Gives a failure, of which nobody is notified any more, to the hook that there is
	 * for it. Never throws: the lock is released whatever hook the user has.
	 * @param failure what was thrown
	 * @param context the subscriber's
	 */
	void drop(Throwable failure, Context context) {
		try {
			Operators.onErrorDropped(failure, context);
		}
		catch (Throwable ex) {
			log.error("A hook of Reactor's failed with what {} dropped: {}", this.method.site(), failure, ex);
		}
	}

	@Nullable Object fallBack(FallbackMethod fallback, LockTimeoutException cause) throws Throwable {
		return fallback.invoke(InnerProxy.behind(this.invocation.getThis(), this.method),
				this.invocation.getArguments(), cause);
	}

}
