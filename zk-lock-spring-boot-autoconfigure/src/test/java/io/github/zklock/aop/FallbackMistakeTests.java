package io.github.zklock.aop;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

import io.reactivex.rxjava3.core.Single;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockHandle;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.OnBusy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A fallback, or what a skipped call is to return, does not fit its method.
 */
class FallbackMistakeTests {

	@Test
	void missingFallbackIsRefused() {
		LockedBeans.assertMistake(NoFallback.class, "fallback = \"nowhere\" names no method of the class",
				"Declare a method 'nowhere'");
	}

	@Test
	void fallbackWithOtherParametersIsRefused() {
		LockedBeans.assertMistake(WrongFallbackParameters.class, "names no method with the right parameters",
				"optionally followed by a LockTimeoutException");
	}

	@Test
	void fallbackWithOtherReturnTypeIsRefused() {
		LockedBeans.assertMistake(WrongFallbackResult.class, "returns Integer where String is needed", "return type");
	}

	@Test
	void fallbackWithAnUndeclaredExceptionIsRefused() {
		LockedBeans.assertMistake(UndeclaredException.class,
				"fallback = \"other\" names a method that declares IOException, which run does not",
				"Declare it there, too");
		LockedBeans.assertMistake(UndeclaredTypeVariable.class, "declares IOException, which run does not",
				"Declare it there, too");
		LockedBeans.assertMistake(UndeclaredByFuture.class, "declares Exception, which run does not",
				"Declare it there, too");
	}

	@Test
	void fallbackMayDeclareWhatReachesTheCaller() {
		try (LockedBeans beans = LockedBeans.of(DeclaredExceptions.class)) {
			assertThat(beans.client().requests()).isEmpty();
		}
	}

	@Test
	void fallbackMayDeclareWhatTheInterfaceDoesWhenProxiesAreMadeByInterface() {
		try (LockedBeans beans = LockedBeans.byInterface(DeclaredByInterface.class);
				LockHandle held = beans.client().holdByAnother("order")) {
			assertThatExceptionOfType(IOException.class).isThrownBy(() -> shop(beans).order("one")).withMessage("busy");
			assertThat(held.isHeld()).isTrue();
		}
		LockedBeans.assertMistake(DeclaredByInterface.class, "declares IOException, which order does not",
				"Declare it there, too");
	}

	@Test
	void fallbackWithAnExceptionThatNoInterfaceDeclaresIsRefusedWhenProxiesAreMadeByInterface() {
		assertThat(LockedBeans.mistakeByInterface(UndeclaredByInterface.class).getProblem())
			.contains("declares IOException, which run does not");
	}

	@Test
	void lockedFallbackIsRefused() {
		LockedBeans.assertMistake(LockedFallback.class, "names a method that has a @DistributedLock itself",
				"Remove the annotation");
	}

	@Test
	void fallbackWithSkipIsRefused() {
		LockedBeans.assertMistake(FallbackAndSkip.class, "fallback = \"other\" contradicts onBusy = SKIP",
				"Remove one of them");
	}

	@Test
	void skipOfPrimitivesIsRefused() {
		LockedBeans.assertMistake(SkipPrimitive.class, "which int does not have", "Return a wrapper type");
	}

	@Test
	void skipOfPublishersThatMustEmitIsRefused() {
		LockedBeans.assertMistake(SkipSingle.class, "which Single does not have", "a Maybe for a Single");
	}

	@SuppressWarnings("unchecked")
	private static Shop<String> shop(LockedBeans beans) {
		return beans.get(Shop.class);
	}

	static class NoFallback {

		@DistributedLock(fallback = "nowhere")
		public void run() {
		}

	}

	static class WrongFallbackParameters {

		@DistributedLock(fallback = "other")
		public void run(String id) {
		}

		void other(int id) {
		}

		void other(String id, IllegalStateException cause) {
		}

		void other(int id, LockTimeoutException cause) {
		}

		void other(String id, Object cause) {
		}

	}

	static class WrongFallbackResult {

		@DistributedLock(fallback = "other")
		public String run(String id) {
			return id;
		}

		Integer other(String id) {
			return 1;
		}

	}

	static class UndeclaredException {

		@DistributedLock(fallback = "other")
		public void run() throws InterruptedException {
		}

		void other() throws InterruptedException, IOException {
		}

	}

	static class Throwing<X extends Exception> {

		void other() throws X {
		}

		void none() throws X {
		}

	}

	static class UndeclaredTypeVariable extends Throwing<IOException> {

		@DistributedLock(fallback = "other")
		public void run() {
		}

	}

	interface Shop<T> {

		void order(T what) throws IOException;

	}

	static class DeclaredByInterface implements Shop<String> {

		@Override
		@DistributedLock(key = "order", timeout = "0", fallback = "busy")
		public void order(String what) {
		}

		void busy(String what) throws IOException {
			throw new IOException("busy");
		}

	}

	static class UndeclaredByInterface implements Runnable {

		@Override
		@DistributedLock(fallback = "other")
		public void run() {
		}

		void other() throws IOException {
		}

	}

	static class UndeclaredByFuture {

		@DistributedLock(fallback = "other")
		public CompletableFuture<String> run() {
			return new CompletableFuture<>();
		}

		CompletableFuture<String> other() throws Exception {
			throw new Exception();
		}

	}

	static class DeclaredExceptions extends Throwing<IllegalStateException> {

		@DistributedLock(key = "io", fallback = "otherIo")
		public void io() throws IOException {
		}

		void otherIo() throws FileNotFoundException, IllegalArgumentException, AssertionError {
		}

		@DistributedLock(key = "variable", fallback = "none")
		public void variable() {
		}

		@DistributedLock(key = "own-variable", fallback = "otherOfOwnVariable")
		public <X extends Exception> void ownVariable(X failure) throws X {
		}

		<X extends Exception> void otherOfOwnVariable(X failure) throws X {
		}

		@DistributedLock(key = "publisher", fallback = "otherPublisher")
		public Mono<String> publisher() {
			return Mono.empty();
		}

		Mono<String> otherPublisher() throws IOException {
			throw new IOException();
		}

	}

	static class LockedFallback {

		@DistributedLock(fallback = "other")
		public void run(String id) {
		}

		@DistributedLock
		public void other(String id, LockTimeoutException cause) {
		}

	}

	static class FallbackAndSkip {

		@DistributedLock(fallback = "other", onBusy = OnBusy.SKIP)
		public void run() {
		}

		void other() {
		}

	}

	static class SkipPrimitive {

		@DistributedLock(onBusy = OnBusy.SKIP)
		public int run() {
			return 1;
		}

	}

	static class SkipSingle {

		@DistributedLock(onBusy = OnBusy.SKIP)
		public Single<String> run() {
			return Single.just("");
		}

	}

}
