package io.github.zklock;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

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

	@Test
	void workDoesNotBeginUnderALockThatIsLostAlready() throws Exception {
		try (LockClient client = MemoryLockClient.builder().build()) {
			AtomicInteger releases = new AtomicInteger();
			WorkHandle handle = new WorkHandle(
					before("release", client.acquire(LockRequest.exclusive("orders")), releases::incrementAndGet));
			client.close();
			AtomicInteger runs = new AtomicInteger();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> handle.call(runs::incrementAndGet))
				.withMessage("Lock 'orders' was lost before the work under it began, which has not run")
				.matches((lost) -> !lost.mayHaveTakenEffect());
			assertThat(runs).hasValue(0);
			assertThat(releases).hasValue(1);
		}
	}

	@Test
	void allLocksOfWorkThatDoesNotBeginAreNamed() throws Exception {
		try (LockClient client = MemoryLockClient.builder().build()) {
			WorkHandle handle = new WorkHandle(client.acquire(LockRequest.keys(List.of("orders", "stock"))));
			client.close();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> handle.call(() -> "done"))
				.withMessage(
						"A hold of locks [orders, stock] was lost before the work under it began, which has not run");
		}
	}

	@Test
	void aReleaseByAnotherThreadInTheMomentOfTheEndIsNoLoss() throws Exception {
		try (LockClient client = MemoryLockClient.builder().build()) {
			AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {
			});
			LockHandle held = client.acquire(LockRequest.exclusive("orders"));
			WorkHandle handle = new WorkHandle(before("isHeld", held, () -> meanwhile.getAndSet(() -> {
			}).run()));
			assertThat(handle.<String, RuntimeException>call(() -> {
				meanwhile.set(handle::release);
				return "done";
			})).isEqualTo("done");
		}
	}

	@Test
	void aHandleThatCannotSayWhetherItIsHeldIsReleased() throws Exception {
		try (LockClient client = MemoryLockClient.builder().build()) {
			LockHandle held = client.acquire(LockRequest.exclusive("orders"));
			AtomicBoolean broken = new AtomicBoolean();
			WorkHandle handle = new WorkHandle(breaking(held, broken));
			assertThatExceptionOfType(StackOverflowError.class).isThrownBy(() -> handle.call(() -> {
				broken.set(true);
				return "done";
			})).withMessage("planted");
			client.acquire(LockRequest.exclusive("orders").owner("another")).release();
		}
	}

	@Test
	void aFailureOfTheWorkIsKeptWhereTheHandleCannotSayWhetherItIsHeld() throws Exception {
		try (LockClient client = MemoryLockClient.builder().build()) {
			LockHandle held = client.acquire(LockRequest.exclusive("orders"));
			AtomicBoolean broken = new AtomicBoolean();
			WorkHandle handle = new WorkHandle(breaking(held, broken));
			assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> handle.call(() -> {
				broken.set(true);
				throw new IllegalStateException("of the work");
			}))
				.satisfies(
						(ex) -> assertThat(ex.getSuppressed()).singleElement().isInstanceOf(StackOverflowError.class));
			client.acquire(LockRequest.exclusive("orders").owner("another")).release();
		}
	}

	@Test
	void theWorkReleasesAHandleThatCannotSayWhetherItIsHeld() throws Exception {
		try (LockClient client = MemoryLockClient.builder().build()) {
			LockHandle held = client.acquire(LockRequest.exclusive("orders"));
			WorkHandle handle = new WorkHandle(breaking(held, new AtomicBoolean(true)));
			assertThatExceptionOfType(StackOverflowError.class).isThrownBy(handle::release);
			client.acquire(LockRequest.exclusive("orders").owner("another")).release();
			LockHandle next = client.acquire(LockRequest.exclusive("orders"));
			WorkHandle other = new WorkHandle(breaking(next, new AtomicBoolean(true)));
			assertThatExceptionOfType(StackOverflowError.class).isThrownBy(other::releaseAsync);
			client.acquire(LockRequest.exclusive("orders").owner("another")).release();
		}
	}

	@Test
	void workThatGoesOnDoesNotSayThatItHasEnded() throws Exception {
		try (LockClient client = MemoryLockClient.builder().build()) {
			AtomicInteger ends = new AtomicInteger();
			WorkHandle handle = new WorkHandle(
					before("ended", client.acquire(LockRequest.exclusive("orders")), ends::incrementAndGet));
			handle.call(() -> {
				LockContext.current().ended();
				return "done";
			});
			assertThat(ends).hasValue(0);
		}
	}

	private static LockHandle breaking(LockHandle held, AtomicBoolean broken) {
		return before("isHeld", held, () -> {
			if (broken.get()) {
				throw new StackOverflowError("planted");
			}
		});
	}

	private static LockHandle forgetful(LockHandle held) {
		return before("failed", held, () -> {
			throw new StackOverflowError("planted");
		});
	}

	private static LockHandle before(String name, LockHandle held, Runnable action) {
		return (LockHandle) Proxy.newProxyInstance(LockHandle.class.getClassLoader(),
				new Class<?>[] { LockHandle.class }, (proxy, method, arguments) -> {
					if (method.getName().equals(name)) {
						action.run();
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
