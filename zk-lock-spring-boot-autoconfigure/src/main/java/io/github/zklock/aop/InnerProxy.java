package io.github.zklock.aop;

import java.lang.reflect.Method;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;

/**
 * Lets a bean with two proxies be locked by the outer one alone, so that what both do,
 * such as a transaction, is inside its lock. Otherwise the inner one would ask for the
 * lock again, and refuse the run of a job that the outer one has just started. A second
 * auto-proxy creator makes such beans, and so does a {@code @Bean} method that returns
 * another bean.
 */
final class InnerProxy {

	private static final ThreadLocal<@Nullable Call> CURRENT = new ThreadLocal<>();

	private InnerProxy() {
	}

	/**
	 * Notes that a locked call is about to reach its target.
	 * @param invocation the call
	 * @return to be closed when the target has returned; null if it is no proxy
	 */
	static @Nullable Scope open(MethodInvocation invocation) {
		Object target = invocation.getThis();
		if (!AopUtils.isAopProxy(target)) {
			return null;
		}
		Scope scope = new Scope(CURRENT.get());
		CURRENT.set(new Call(target, invocation.getMethod()));
		return scope;
	}

	/**
	 * Returns whether a call is the one that a locked call of an outer proxy makes. Of
	 * several it is the first one: the bean may call its inner proxy itself.
	 * @param invocation the call
	 * @return whether it is locked already
	 */
	static boolean isLockedOutside(MethodInvocation invocation) {
		Call call = CURRENT.get();
		boolean inner = call != null && invocation instanceof ProxyMethodInvocation proxied
				&& proxied.getProxy() == call.proxy() && invocation.getMethod().equals(call.method());
		if (inner) {
			CURRENT.set(null);
		}
		return inner;
	}

	/**
	 * A call of a proxy by the proxy around it.
	 *
	 * @param proxy the inner one
	 * @param method its method
	 */
	private record Call(Object proxy, Method method) {

	}

	/**
	 * Until the target has returned.
	 *
	 * @param around what was noted before
	 */
	record Scope(@Nullable Call around) implements AutoCloseable {

		@Override
		public void close() {
			CURRENT.set(this.around);
		}

	}

}
