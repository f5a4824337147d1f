package io.github.zklock.aop;

import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import io.github.zklock.LockHandle;

import static org.assertj.core.api.Assertions.assertThat;

class CallHandleTests {

	@Test
	void theWorkEndsWhenTheMethodDoesAndNotBefore() {
		AtomicInteger calls = new AtomicInteger();
		LockHandle delegate = (LockHandle) Proxy.newProxyInstance(LockHandle.class.getClassLoader(),
				new Class<?>[] { LockHandle.class }, (proxy, method, arguments) -> calls.incrementAndGet());
		new CallHandle(delegate, null).ended();
		assertThat(calls).hasValue(0);
	}

}
