package io.github.zklock.aop;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
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

	private static final ThreadLocal<@Nullable Call> CURRENT = new ThreadLocal<>();

	/**
	 * Notes that a locked call is about to reach its target.
	 * @param invocation the call
	 * @return to be closed when the target has returned; null if there is nothing to note
	 */
	LockOwners.@Nullable Scope open(MethodInvocation invocation) {
		Call around = CURRENT.get();
		Object target = invocation.getThis();
		Call further = (target != null && AopUtils.isAopProxy(target))
				? new Call(this, target, specific(invocation, target), Arrays.asList(invocation.getArguments().clone()))
				: null;
		if (around == null && further == null) {
			return null;
		}
		return LockOwners.Scope.of(CURRENT, further);
	}

	/**
	 * Returns whether a call is the one that a locked call of an outer proxy makes. What
	 * differs in anything may have another key, and is locked by itself.
	 * @param invocation the call
	 * @return whether it is locked already
	 */
	boolean isLockedOutside(MethodInvocation invocation) {
		Call call = CURRENT.get();
		return call != null && call.advice() == this && invocation instanceof ProxyMethodInvocation proxied
				&& proxied.getProxy() == call.proxy() && specific(invocation, call.proxy()).equals(call.method())
				&& call.has(Arrays.asList(invocation.getArguments()));
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
	 * @param advice what locks it
	 * @param proxy the inner one
	 * @param method its method
	 * @param arguments those of the call
	 */
	private record Call(InnerProxy advice, Object proxy, Method method, List<@Nullable Object> arguments) {

		// Numbers are made anew on the way
		boolean has(List<@Nullable Object> others) {
			for (int i = 0; i < others.size(); i++) {
				boolean same = this.method.getParameterTypes()[i].isPrimitive()
						? Objects.equals(others.get(i), this.arguments.get(i)) : others.get(i) == this.arguments.get(i);
				if (!same) {
					return false;
				}
			}
			return true;
		}

	}

}
