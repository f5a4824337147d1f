package io.github.zklock.aop;

import java.lang.reflect.Method;
import java.util.Objects;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;

/**
 * Lets a bean with two proxies be locked by the outer one alone, so that what both do,
 * such as a transaction, is inside its lock. Otherwise the inner one would ask for the
 * lock again, and refuse the run of a job that the outer one has just started. A second
 * auto-proxy creator makes such beans, and so does a {@code @Bean} method that returns
 * another bean. Each advice has its own, because another one may have another client.
 */
final class InnerProxy {

	private final ThreadLocal<@Nullable Call> current = new ThreadLocal<>();

	/**
	 * Notes that a locked call is about to reach its target.
	 * @param invocation the call
	 * @return to be closed when the target has returned; null if there is nothing to note
	 */
	@Nullable Scope open(MethodInvocation invocation) {
		Call around = this.current.get();
		Object target = invocation.getThis();
		Call further = (target != null && AopUtils.isAopProxy(target))
				? new Call(target, specific(invocation, target), invocation.getArguments().clone()) : null;
		if (around == null && further == null) {
			return null;
		}
		this.current.set(further);
		return () -> this.current.set(around);
	}

	/**
	 * Returns whether a call is the one that a locked call of an outer proxy makes. What
	 * differs in anything may have another key, and is locked by itself.
	 * @param invocation the call
	 * @return whether it is locked already
	 */
	boolean isLockedOutside(MethodInvocation invocation) {
		Call call = this.current.get();
		return call != null && invocation instanceof ProxyMethodInvocation proxied && proxied.getProxy() == call.proxy()
				&& specific(invocation, call.proxy()).equals(call.method()) && call.has(invocation.getArguments());
	}

	// One of the two proxies may be by interfaces
	private static Method specific(MethodInvocation invocation, Object proxy) {
		return AopUtils.getMostSpecificMethod(invocation.getMethod(), AopProxyUtils.ultimateTargetClass(proxy));
	}

	/**
	 * Finds the bean itself.
	 * @param target the target of a proxy, which may be another proxy
	 * @param method a method of the bean's
	 * @return the innermost target that has the method; a proxy for interfaces has some
	 * that its target has not
	 */
	static @Nullable Object behind(@Nullable Object target, LockedMethod method) {
		Class<?> type = method.site().method().getDeclaringClass();
		Object found = target;
		for (Object next = target; next != null && AopUtils.isAopProxy(next);) {
			next = AopProxyUtils.getSingletonTarget(next);
			found = type.isInstance(next) ? next : found;
		}
		return found;
	}

	/**
	 * A call of a proxy by the proxy around it.
	 *
	 * @param proxy the inner one
	 * @param method its method
	 * @param arguments those of the call
	 */
	private record Call(Object proxy, Method method, @Nullable Object[] arguments) {

		// Numbers are made anew on the way
		boolean has(@Nullable Object[] others) {
			for (int i = 0; i < others.length; i++) {
				boolean same = this.method.getParameterTypes()[i].isPrimitive()
						? Objects.equals(others[i], this.arguments[i]) : others[i] == this.arguments[i];
				if (!same) {
					return false;
				}
			}
			return true;
		}

	}

	/** Until the target has returned. */
	interface Scope extends AutoCloseable {

		@Override
		void close();

	}

}
