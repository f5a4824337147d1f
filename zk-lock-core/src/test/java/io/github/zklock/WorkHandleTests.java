package io.github.zklock;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

import org.junit.jupiter.api.Test;

import io.github.zklock.memory.MemoryLockClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class WorkHandleTests {

	@Test
	void aFailureThatCannotBeNotedReleasesTheLockAllTheSame() throws Exception {
		try (LockClient client = MemoryLockClient.builder().build()) {
			LockHandle held = client.acquire(LockRequest.exclusive("orders"));
			WorkHandle handle = new WorkHandle(forgetful(held));
			assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> handle.call(() -> {
				throw new IllegalStateException("planted");
			})).withMessage("planted").satisfies((ex) -> assertThat(ex.getSuppressed()).hasSize(1));
			assertThat(held.isHeld()).isFalse();
			client.acquire(LockRequest.exclusive("orders").owner("another")).release();
		}
	}

	private static LockHandle forgetful(LockHandle held) {
		return (LockHandle) Proxy.newProxyInstance(LockHandle.class.getClassLoader(),
				new Class<?>[] { LockHandle.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("failed")) {
						throw new StackOverflowError("planted");
					}
					try {
						return method.invoke(held, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

}
