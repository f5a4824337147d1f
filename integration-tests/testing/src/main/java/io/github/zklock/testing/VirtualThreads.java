package io.github.zklock.testing;

import java.lang.reflect.Method;
import java.util.Optional;
import java.util.concurrent.FutureTask;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * Runs each test of a class on a virtual thread, and so the actors that it creates. On a
 * JDK without virtual threads, before 21, the class is skipped.
 */
public final class VirtualThreads implements ExecutionCondition, InvocationInterceptor {

	private static final Optional<Method> IS_VIRTUAL = find(Thread.class, "isVirtual");

	@Override
	public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
		return IS_VIRTUAL.isPresent() ? ConditionEvaluationResult.enabled("this JDK has virtual threads")
				: ConditionEvaluationResult
					.disabled("JDK %s has no virtual threads; -Dtest.jvm runs the tests on another one"
						.formatted(Runtime.version().feature()));
	}

	@Override
	public void interceptTestMethod(Invocation<Void> invocation, ReflectiveInvocationContext<Method> method,
			ExtensionContext context) throws Throwable {
		proceed(invocation, context);
	}

	@Override
	public void interceptTestTemplateMethod(Invocation<Void> invocation, ReflectiveInvocationContext<Method> method,
			ExtensionContext context) throws Throwable {
		proceed(invocation, context);
	}

	private static void proceed(Invocation<Void> invocation, ExtensionContext context) throws Throwable {
		Throwable[] thrown = new Throwable[1];
		FutureTask<Void> test = new FutureTask<>(() -> {
			try {
				invocation.proceed();
			}
			catch (Throwable ex) {
				thrown[0] = ex;
			}
		}, null);
		Thread thread = virtual(test, context.getDisplayName());
		thread.start();
		try {
			test.get();
		}
		catch (InterruptedException ex) {
			thread.interrupt();
			test.get();
		}
		if (thrown[0] != null) {
			throw thrown[0];
		}
	}

	/**
	 * Creates a thread of the kind that the current one is.
	 * @param task what it does
	 * @param name its name
	 * @return the thread, a daemon, not started
	 */
	static Thread likeThisThread(Runnable task, String name) {
		if (isVirtual(Thread.currentThread())) {
			return virtual(task, name);
		}
		Thread thread = new Thread(task, name);
		thread.setDaemon(true);
		return thread;
	}

	/**
	 * Returns whether a thread is virtual.
	 * @param thread the thread
	 * @return false where there are none
	 */
	public static boolean isVirtual(Thread thread) {
		return IS_VIRTUAL.isPresent() && (boolean) call(IS_VIRTUAL.get(), thread);
	}

	// By reflection, because the tests are compiled for JDK 17
	private static Thread virtual(Runnable task, String name) {
		Object builder = call(find(Thread.class, "ofVirtual").orElseThrow(), null);
		Class<?> type = find(Thread.class, "ofVirtual").orElseThrow().getReturnType();
		Object named = call(find(type, "name", String.class).orElseThrow(), builder, name);
		return (Thread) call(find(type, "unstarted", Runnable.class).orElseThrow(), named, task);
	}

	private static Optional<Method> find(Class<?> type, String name, Class<?>... parameters) {
		try {
			return Optional.of(type.getMethod(name, parameters));
		}
		catch (NoSuchMethodException ex) {
			return Optional.empty();
		}
	}

	private static Object call(Method method, Object target, Object... arguments) {
		try {
			return method.invoke(target, arguments);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
