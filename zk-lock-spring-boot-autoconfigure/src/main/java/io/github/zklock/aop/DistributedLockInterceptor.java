package io.github.zklock.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.expression.EvaluationContext;

import io.github.zklock.LockClient;
import io.github.zklock.LockContext;
import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.OnBusy;
import io.github.zklock.OnLost;

/**
 * Runs locked methods under their locks.
 */
final class DistributedLockInterceptor implements MethodInterceptor {

	private final LockedMethods methods;

	private final Supplier<LockClient> client;

	private final OpenTransactions transactions;

	private final InnerProxy inner = new InnerProxy();

	DistributedLockInterceptor(LockedMethods methods, Supplier<LockClient> client, OpenTransactions transactions) {
		this.methods = methods;
		this.client = client;
		this.transactions = transactions;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		if (this.inner.isLockedOutside(invocation)) {
			try (LockOwners.Scope further = this.inner.open(invocation)) {
				return invocation.proceed();
			}
		}
		Object called = invocation.getThis();
		LockedMethod method = this.methods.get(invocation.getMethod(), targetClass(invocation.getMethod(), called));
		Object target = InnerProxy.behind(called, method);
		LockRequest unowned = method.fixed();
		if (unowned == null) {
			EvaluationContext context = this.methods.context(method,
					new LockCallRoot(method.site().method(), target, invocation.getArguments()));
			if (!method.applies(context)) {
				return invocation.proceed();
			}
			unowned = method.request(context);
		}
		String election = method.election();
		Supplier<LockClient> client = (election != null) ? () -> this.methods.leader(election) : client(method.job());
		if (method.returns() == ReturnKind.PUBLISHER) {
			return LockedPublisher.of(invocation, method, unowned, client, this.inner);
		}
		LockRequest request = withOwner(unowned, method);
		LockHandle handle;
		try {
			if (method.onBusy() == OnBusy.SKIP) {
				Optional<LockHandle> acquired = client.get().tryAcquire(request);
				if (acquired.isEmpty()) {
					return method.emptyResult();
				}
				handle = acquired.get();
			}
			else {
				handle = client.get().acquire(request);
			}
		}
		catch (LockTimeoutException ex) {
			FallbackMethod fallback = method.fallback();
			if (fallback != null) {
				return fallback.invoke(target, invocation.getArguments(), ex);
			}
			return failed(method, ex);
		}
		catch (LockException ex) {
			return failed(method, ex);
		}
		catch (InterruptedException ex) {
			return interrupted(method, request, ex);
		}
		LockedCall call = new LockedCall(method, handle);
		Throwable notHeld = call.endUnlessHeld();
		if (notHeld instanceof LockException lost) {
			return failed(method, lost);
		}
		if (notHeld != null) {
			throw notHeld;
		}
		try {
			this.transactions.entered(method, call);
		}
		catch (Throwable ex) {
			throw call.fail(ex, false);
		}
		return run(invocation, method, request, call);
	}

	private Class<?> targetClass(Method method, @Nullable Object target) {
		if (target == null) {
			return method.getDeclaringClass();
		}
		Class<?> targetClass = AopUtils.getTargetClass(target);
		// A proxy for interfaces, such as a repository, has them from no class of its
		// target
		boolean ofProxy = Proxy.isProxyClass(target.getClass())
				&& (!method.getDeclaringClass().isAssignableFrom(targetClass)
						|| this.methods.annotation(method, targetClass).isEmpty());
		return ofProxy ? target.getClass() : targetClass;
	}

	private Supplier<LockClient> client(@Nullable JobTime job) {
		return (job != null) ? () -> job.on(this.client.get()) : this.client;
	}

	private static LockRequest withOwner(LockRequest request, LockedMethod method) {
		Object owner = LockOwners.find(LockOwners.current(), request.keys());
		if (owner == null && method.returns() == ReturnKind.FUTURE) {
			owner = new Object();
		}
		return (owner != null) ? request.owner(owner) : request;
	}

	@SuppressWarnings("FutureReturnValueIgnored") // it goes to the caller as the result
	private static Object failed(LockedMethod method, LockException cause) {
		if (method.returns() == ReturnKind.FUTURE) {
			return CompletableFuture.failedFuture(cause);
		}
		throw cause;
	}

	private static Object interrupted(LockedMethod method, LockRequest request, InterruptedException cause)
			throws InterruptedException {
		for (Class<?> declared : method.site().method().getExceptionTypes()) {
			if (declared.isAssignableFrom(InterruptedException.class)) {
				throw cause;
			}
		}
		Thread.currentThread().interrupt();
		return failed(method, new LockException("Interrupted while waiting for %s; nothing is held and %s has not run"
			.formatted(LockException.named(request.keys()), method.site()), cause));
	}

	private @Nullable Object run(MethodInvocation invocation, LockedMethod method, LockRequest request, LockedCall call)
			throws Throwable {
		InterruptGuard guard = (method.onLost() == OnLost.INTERRUPT) ? new InterruptGuard() : null;
		Object result;
		try (LockContext.Scope current = LockContext.open(call.handle());
				LockOwners.Scope owners = owners(request);
				LockOwners.Scope further = this.inner.open(invocation)) {
			if (guard != null) {
				call.handle().onLost(guard::interrupt);
			}
			result = invocation.proceed();
		}
		catch (Throwable ex) {
			boolean consumed = ex instanceof InterruptedException;
			boolean interrupted = guard != null && guard.end(consumed);
			throw call.fail(ex, interrupted && consumed);
		}
		if (guard != null) {
			guard.end(false);
		}
		return finish(call, method, result);
	}

	private static LockOwners.@Nullable Scope owners(LockRequest request) {
		return (request.owner() != null)
				? LockOwners.open(new LockOwners.Entry(request.owner(), request.keys(), LockOwners.current())) : null;
	}

	@SuppressWarnings("FutureReturnValueIgnored") // it goes to the caller as the result
	private static @Nullable Object finish(LockedCall call, LockedMethod method, @Nullable Object result)
			throws Throwable {
		if (method.returns() == ReturnKind.FUTURE && result instanceof CompletionStage<?> stage) {
			return call.follow(stage);
		}
		if (result != null && !(result instanceof CompletionStage) && ReturnKind.isPublisher(result.getClass())) {
			throw call.fail(new IllegalStateException(
					"%s returned a publisher, whose work would run without the lock; lock a method that does the work before it returns"
						.formatted(method.site())),
					false);
		}
		if (result != null && method.undeclared()) {
			String remedy = LateWork.remedy(result);
			if (remedy != null) {
				throw call.fail(call.refuse(result, remedy), false);
			}
		}
		return call.succeed(result);
	}

}
