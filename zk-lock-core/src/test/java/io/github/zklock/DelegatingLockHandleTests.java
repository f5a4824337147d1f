package io.github.zklock;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

class DelegatingLockHandleTests {

	private final List<String> calls = new ArrayList<>();

	private final CompletableFuture<Void> gone = new CompletableFuture<>();

	private final LockHandle delegate = (LockHandle) Proxy.newProxyInstance(LockHandle.class.getClassLoader(),
			new Class<?>[] { LockHandle.class }, (proxy, method, arguments) -> answer(method, arguments));

	private final LockHandle handle = new UsersHandle(this.delegate);

	static Stream<Method> methods() {
		return Arrays.stream(LockHandle.class.getMethods())
			.filter((method) -> !Modifier.isStatic(method.getModifiers()));
	}

	@ParameterizedTest
	@MethodSource("methods")
	void eachMethodIsForwarded(Method method) throws Exception {
		Object[] arguments = Arrays.stream(method.getParameterTypes()).map(this::argument).toArray();
		Object result = method.invoke(this.handle, arguments);
		String name = method.getName().equals("close") ? "release" : method.getName();
		assertThat(this.calls).containsExactly(name + Arrays.toString(arguments));
		assertThat(result).isEqualTo(result(method));
	}

	@ParameterizedTest
	@MethodSource("methods")
	void whatTheOtherThrowsIsThrown(Method method) {
		UsersHandle broken = new UsersHandle((LockHandle) Proxy.newProxyInstance(LockHandle.class.getClassLoader(),
				new Class<?>[] { LockHandle.class }, throwing()));
		Object[] arguments = Arrays.stream(method.getParameterTypes()).map(this::argument).toArray();
		assertThatExceptionOfType(InvocationTargetException.class).isThrownBy(() -> method.invoke(broken, arguments))
			.withCauseInstanceOf(UnsupportedOperationException.class);
	}

	@Test
	void itSaysWhatTheOtherSays() {
		assertThat(this.handle).hasToString("that one");
	}

	@Test
	void itNeedsAnother() {
		assertThatNullPointerException().isThrownBy(() -> new UsersHandle(null));
	}

	@Test
	void closeReleasesByWhatWasOverridden() {
		List<String> releases = new ArrayList<>();
		LockHandle noting = new DelegatingLockHandle(this.delegate) {

			@Override
			public void release() {
				releases.add(key());
				super.release();
			}

		};
		noting.close();
		assertThat(releases).containsExactly("orders");
		assertThat(this.calls).endsWith("release[]");
	}

	@Test
	void theInnermostOneDelegatesToNobody() {
		assertThat(DelegatingLockHandle.innermost(new UsersHandle(this.handle))).isSameAs(this.delegate);
		assertThat(DelegatingLockHandle.innermost(this.delegate)).isSameAs(this.delegate);
	}

	private Object answer(Method method, Object[] arguments) {
		if (method.getDeclaringClass() == Object.class) {
			return "that one";
		}
		this.calls.add(method.getName() + Arrays.toString((arguments != null) ? arguments : new Object[0]));
		return result(method);
	}

	// No default method gives it by itself
	private Object result(Method method) {
		return switch (method.getName()) {
			case "key" -> "orders";
			case "keys" -> List.of("orders", "stock");
			case "mode" -> (method.getParameterCount() == 0) ? LockMode.WRITE : LockMode.READ;
			case "fencingToken" -> (method.getParameterCount() == 0) ? 256L : 512L;
			case "isHeld" -> true;
			case "releaseAsync" -> this.gone;
			default -> null;
		};
	}

	private Object argument(Class<?> type) {
		if (type == String.class) {
			return "stock";
		}
		if (type == Throwable.class) {
			return new IllegalStateException("planted");
		}
		if (type == Consumer.class) {
			return (Consumer<WaitingCaller>) (caller) -> {
			};
		}
		return (Runnable) () -> {
		};
	}

	private static InvocationHandler throwing() {
		return (proxy, method, arguments) -> {
			throw new UnsupportedOperationException("planted");
		};
	}

	/** As an application would write it. */
	private static final class UsersHandle extends DelegatingLockHandle {

		private UsersHandle(LockHandle delegate) {
			super(delegate);
		}

	}

}
