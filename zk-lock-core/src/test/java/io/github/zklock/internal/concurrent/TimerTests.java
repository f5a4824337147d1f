package io.github.zklock.internal.concurrent;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(20)
class TimerTests {

	private final ClassLoader application = Thread.currentThread().getContextClassLoader();

	private final Timer timer = new Timer("test-timer", new StepFailures());

	@AfterEach
	void stop() {
		this.timer.stop();
		Thread.currentThread().setContextClassLoader(this.application);
	}

	@Test
	void itsThreadHasTheClassLoaderOfItsMakerAndNothingOfTheFirstCaller() throws Exception {
		InheritableThreadLocal<String> principal = new InheritableThreadLocal<>();
		CompletableFuture<String> seen = new CompletableFuture<>();
		CompletableFuture<ClassLoader> loader = new CompletableFuture<>();
		try (URLClassLoader callers = new URLClassLoader(new URL[0])) {
			Thread.currentThread().setContextClassLoader(callers);
			principal.set("alice");
			this.timer.later(0, () -> {
				seen.complete(String.valueOf(principal.get()));
				loader.complete(Thread.currentThread().getContextClassLoader());
			});
			assertThat(seen.get()).isEqualTo("null");
			assertThat(loader.get()).isSameAs(this.application);
		}
		finally {
			principal.remove();
		}
	}

	@Test
	void anErrorOfOneStepDoesNotKeepTheNextFromRunning() throws Exception {
		this.timer.later(0, () -> {
			throw new AssertionError("on purpose");
		});
		CompletableFuture<Void> next = new CompletableFuture<>();
		this.timer.later(0, () -> next.complete(null));
		next.get();
	}

}
