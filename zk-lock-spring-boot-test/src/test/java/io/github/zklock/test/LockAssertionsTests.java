package io.github.zklock.test;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import io.github.zklock.LockClient;
import io.github.zklock.LockContext;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(ZkLockExtension.class)
class LockAssertionsTests {

	private final LockClient client;

	private final LockTester tester;

	LockAssertionsTests(LockClient client, LockTester tester) {
		this.client = client;
		this.tester = tester;
	}

	private LockHandle acquire(String key) throws InterruptedException {
		return this.client.acquire(LockRequest.exclusive(key));
	}

	@Test
	void codeWithoutALockIsFound() {
		LockAssertions.assertNotLocked();
		assertThatExceptionOfType(AssertionError.class).isThrownBy(LockAssertions::assertLocked)
			.withMessageContaining("no locked method runs on thread");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> LockAssertions.assertLocked("a"))
			.withMessage("Expected this code to run under lock 'a', but it runs under none");
	}

	@Test
	void aThreadWithoutANameIsKnownByItsNumber() {
		Thread thread = Thread.currentThread();
		String name = thread.getName();
		thread.setName("");
		try {
			assertThatExceptionOfType(AssertionError.class).isThrownBy(LockAssertions::assertLocked)
				.withMessageMatching(".*runs on thread '#\\d+'");
		}
		finally {
			thread.setName(name);
		}
	}

	@Test
	void codeUnderALockIsFound() throws Exception {
		try (LockHandle a = acquire("a");
				LockHandle b = acquire("b");
				LockContext.Scope outer = LockContext.open(a);
				LockContext.Scope inner = LockContext.open(b)) {
			LockAssertions.assertLocked();
			LockAssertions.assertLocked("a");
			LockAssertions.assertLocked("b");
			assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> LockAssertions.assertLocked("c"))
				.withMessage("Expected this code to run under lock 'c', but it runs under [b, a]");
			assertThatExceptionOfType(AssertionError.class).isThrownBy(LockAssertions::assertNotLocked)
				.withMessage("Expected this code to run under no lock, but it runs under [b, a]");
		}
		LockAssertions.assertNotLocked();
	}

	@Test
	void lostLockIsNone() throws Exception {
		try (LockHandle a = acquire("a"); LockContext.Scope scope = LockContext.open(a)) {
			this.tester.expireSession();
			assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> LockAssertions.assertLocked("a"))
				.withMessage("Expected lock 'a' to be held, but it was lost or released");
			assertThatExceptionOfType(AssertionError.class).isThrownBy(LockAssertions::assertLocked);
		}
	}

	@Test
	void allKeysOfALostLockAreNamed() throws Exception {
		try (LockHandle both = this.client.acquire(LockRequest.keys(List.of("a", "b")));
				LockContext.Scope scope = LockContext.open(both)) {
			both.release();
			assertThatExceptionOfType(AssertionError.class).isThrownBy(LockAssertions::assertLocked)
				.withMessage("Expected locks [a, b] to be held, but they were lost or released");
		}
	}

	@Test
	void outerLockThatIsReleasedEarlyLeavesTheInnerOne() throws Exception {
		try (LockHandle a = acquire("a");
				LockHandle b = acquire("b");
				LockContext.Scope outer = LockContext.open(a);
				LockContext.Scope inner = LockContext.open(b)) {
			a.release();
			LockAssertions.assertLocked();
			LockAssertions.assertLocked("b");
			assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> LockAssertions.assertLocked("a"));
		}
	}

	@Test
	void innerLockThatIsReleasedEarlyIsNone() throws Exception {
		try (LockHandle a = acquire("a");
				LockHandle b = acquire("b");
				LockContext.Scope outer = LockContext.open(a);
				LockContext.Scope inner = LockContext.open(b)) {
			b.release();
			assertThatExceptionOfType(AssertionError.class).isThrownBy(LockAssertions::assertLocked)
				.withMessageContaining("lock 'b'");
		}
	}

	@Test
	void oneOfTheHandlesOfAKeyIsEnough() throws Exception {
		try (LockHandle a = acquire("a");
				LockHandle again = acquire("a");
				LockContext.Scope outer = LockContext.open(a);
				LockContext.Scope inner = LockContext.open(again)) {
			again.release();
			LockAssertions.assertLocked("a");
			a.release();
			assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> LockAssertions.assertLocked("a"));
		}
	}

}
