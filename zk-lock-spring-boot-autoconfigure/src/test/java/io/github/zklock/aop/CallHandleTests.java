package io.github.zklock.aop;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import io.github.zklock.LockHandle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class CallHandleTests {

	@Test
	void theWorkEndsWhenTheMethodDoesAndNotBefore() {
		AtomicInteger calls = new AtomicInteger();
		LockHandle delegate = (LockHandle) Proxy.newProxyInstance(LockHandle.class.getClassLoader(),
				new Class<?>[] { LockHandle.class }, (proxy, method, arguments) -> calls.incrementAndGet());
		new CallHandle(delegate, null).ended();
		assertThat(calls).hasValue(0);
	}

	@Test
	void aReleaseThatCannotBeNotedIsDoneAllTheSame() {
		List<String> done = new ArrayList<>();
		LockHandle delegate = (LockHandle) Proxy.newProxyInstance(LockHandle.class.getClassLoader(),
				new Class<?>[] { LockHandle.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("isHeld")) {
						throw new StackOverflowError("planted");
					}
					done.add(method.getName());
					return null;
				});
		assertThatExceptionOfType(StackOverflowError.class)
			.isThrownBy(() -> new CallHandle(delegate, null).releaseAsync());
		assertThat(done).containsExactly("release");
	}

}
