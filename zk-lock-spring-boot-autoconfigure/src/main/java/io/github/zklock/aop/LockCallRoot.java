package io.github.zklock.aop;

import java.lang.reflect.Method;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What {@code #root} is in an expression: the call.
 *
 * @param method the method that runs
 * @param target the bean itself, without its proxy
 * @param args the arguments
 */
@SuppressWarnings("ArrayRecordComponent") // a view of the arguments, never compared
record LockCallRoot(Method method, @Nullable Object target, @Nullable Object[] args) {

	/** The names that can follow {@code #root.}. */
	static final List<String> PROPERTIES = List.of("method", "target", "args");

}
