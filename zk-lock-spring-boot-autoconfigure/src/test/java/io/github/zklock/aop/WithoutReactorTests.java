package io.github.zklock.aop;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.stream.Stream;

import io.reactivex.rxjava3.core.Flowable;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

import io.github.zklock.DistributedLock;
import io.github.zklock.OnBusy;
import io.github.zklock.testing.ClassPathWithout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What is left when Reactor is not on the class path. Everything runs in a class loader
 * that has neither Reactor nor what this class sees.
 */
class WithoutReactorTests {

	private static Object run(String method, String... missing) throws Exception {
		return ClassPathWithout.jars(missing).call(InsideOfTheLoader.class, method);
	}

	@Test
	void reactorIsReallyMissing() {
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> run("useReactor", "reactor-"))
			.withRootCauseInstanceOf(ClassNotFoundException.class);
	}

	@Test
	void methodsThatReturnNoPublisherAreLocked() throws Exception {
		assertThat(run("lock", "reactor-", "reactive-streams", "rxjava")).isEqualTo("value future null");
	}

	@Test
	void methodsAreLockedWithoutKotlin() throws Exception {
		assertThat(run("lock", "kotlin")).isEqualTo("value future null");
	}

	@Test
	void methodsThatReturnPublishersAreRefused() throws Exception {
		assertThat(run("refuse", "reactor-")).asInstanceOf(InstanceOfAssertFactories.list(String.class))
			.hasSize(3)
			.allSatisfy((refusal) -> assertThat(refusal).contains("whose work begins when the method has returned")
				.contains("Add io.projectreactor:reactor-core to the class path"));
	}

	@Test
	void publisherThatTheMethodDoesNotDeclareIsRefused() throws Exception {
		assertThat(run("returnUndeclared", "reactor-")).asString()
			.contains("returned a publisher, whose work would run without the lock");
	}

	/**
	 * What is tested. Each method is called in a class loader of its own.
	 */
	@SuppressWarnings("UnusedMethod") // by name
	static final class InsideOfTheLoader {

		private InsideOfTheLoader() {
		}

		static void useReactor() {
			Mono.empty().block();
		}

		static String lock() {
			try (LockedBeans beans = LockedBeans.of(Values.class)) {
				Values values = beans.get(Values.class);
				String ran = values.value() + " " + values.future().join();
				beans.client().holdByAnother("k");
				return ran + " " + values.skipped();
			}
		}

		static List<String> refuse() {
			return Stream.of(ReturnsPublisher.class, ReturnsFlow.class, ReturnsFlowable.class)
				.map((bean) -> LockedBeans.mistake(bean).getMessage())
				.toList();
		}

		static String returnUndeclared() {
			try (LockedBeans beans = LockedBeans.of(ReturnsUndeclared.class)) {
				return beans.get(ReturnsUndeclared.class).run().toString();
			}
			catch (IllegalStateException ex) {
				return ex.getMessage();
			}
		}

	}

	static class Values {

		@DistributedLock(key = "k")
		public String value() {
			return "value";
		}

		@DistributedLock(key = "k")
		public CompletableFuture<String> future() {
			return CompletableFuture.completedFuture("future");
		}

		@DistributedLock(key = "k", timeout = "0", onBusy = OnBusy.SKIP)
		public String skipped() {
			return "ran";
		}

	}

	static class ReturnsPublisher {

		@DistributedLock
		public Publisher<String> run() {
			return (subscriber) -> subscriber.onComplete();
		}

	}

	static class ReturnsFlow {

		@DistributedLock
		public Flow.Publisher<String> run() {
			return (subscriber) -> subscriber.onComplete();
		}

	}

	static class ReturnsFlowable {

		@DistributedLock
		public Flowable<String> run() {
			return Flowable.empty();
		}

	}

	static class ReturnsUndeclared {

		@DistributedLock
		public Object run() {
			return (Publisher<String>) (subscriber) -> subscriber.onComplete();
		}

	}

}
