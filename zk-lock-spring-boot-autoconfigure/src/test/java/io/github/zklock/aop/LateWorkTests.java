package io.github.zklock.aop;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.sun.management.ThreadMXBean;
import kotlin.sequences.Sequence;
import kotlinx.coroutines.Deferred;
import kotlinx.coroutines.Job;
import kotlinx.coroutines.channels.ReceiveChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.ResolvableType;
import org.springframework.http.ResponseEntity;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockClient;
import io.github.zklock.memory.MemoryLockClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Results whose work would be done without the lock are refused.
 */
class LateWorkTests {

	private static String remedy(String method) {
		return LateWork.remedy(ResolvableType.forMethodReturnType(ReflectionUtils.findMethod(Methods.class, method)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "stream", "ints", "iterator", "sequence" })
	void elementsThatAreMadeWhenTheyAreUsedAreRefused(String method) {
		assertThat(remedy(method)).startsWith("Return a collection");
	}

	@ParameterizedTest
	@ValueSource(strings = { "callable", "deferredResult", "webAsyncTask", "futureInResponse", "publisherInResponse",
			"optionalFuture", "futureOfFuture", "futureOfMono", "monoOfFlux", "endless" })
	void resultsThatMvcAwaitsAreRefusedWithTheFutureAsWayOut(String method) {
		assertThat(remedy(method)).startsWith("Return a CompletableFuture");
	}

	@ParameterizedTest
	@ValueSource(strings = { "job", "deferred", "channel", "futureOfJob" })
	void coroutinesAreRefused(String method) {
		assertThat(remedy(method)).startsWith("Lock a suspending function");
	}

	@ParameterizedTest
	@ValueSource(strings = { "supplier", "runnable", "optionalSupplier" })
	void workThatTheCallerStartsIsRefused(String method) {
		assertThat(remedy(method)).startsWith("Lock a method that does the work before it returns");
	}

	@ParameterizedTest
	@ValueSource(strings = { "body", "emitter", "events", "bodyInResponse", "emitterInResponseInFuture" })
	void bodiesThatAreWrittenLaterAreRefused(String method) {
		assertThat(remedy(method)).startsWith("Write the body in a locked method");
	}

	@ParameterizedTest
	@ValueSource(strings = { "futures", "futureArray", "futuresByName", "publishers", "pages", "ownFutures",
			"futuresInResponse", "optionalFutures", "futureOfFutures", "nestedFutures", "optionals" })
	void severalThatGoOnAreRefused(String method) {
		assertThat(remedy(method)).startsWith("Return a CompletableFuture of all")
			.endsWith(
					"wait for them in the method and return what they gave. Declared as List<?>, they are taken for done.");
	}

	@ParameterizedTest
	@ValueSource(strings = { "jobs", "deferreds" })
	void severalCoroutinesAreRefused(String method) {
		assertThat(remedy(method)).startsWith("Lock a suspending function");
	}

	@Test
	void severalThatASuspendingFunctionReturnsAreToBeAwaited() {
		ResolvableType futures = ResolvableType.forClassWithGenerics(List.class, CompletableFuture.class);
		assertThat(LateWork.remedyOfSuspended(futures)).startsWith("Await them in the function");
	}

	@ParameterizedTest
	@ValueSource(strings = { "suppliers", "tasks", "callables", "paths", "raw", "unknown", "counts" })
	void severalValuesAreNot(String method) {
		assertThat(remedy(method)).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "list", "textInResponse", "someResponse", "future", "mono", "windows", "task" })
	void valuesAndWhatIsFollowedAreNot(String method) {
		assertThat(remedy(method)).isNull();
	}

	@Test
	void theContextDoesNotStart() {
		InvalidLockDefinitionException mistake = LockedBeans.mistake(Download.class);
		assertThat(mistake.getProblem()).endsWith(
				"Download.run(): the method returns a ResponseEntity<StreamingResponseBody>, which may do its work after the method has returned, without the lock.");
		assertThat(mistake.getRemedy()).startsWith("Write the body in a locked method");
	}

	@Test
	void theContextDoesNotStartWithSeveralThatGoOn() {
		InvalidLockDefinitionException mistake = LockedBeans.mistake(Batch.class);
		assertThat(mistake.getProblem()).endsWith(
				"Batch.run(): the method returns a List<CompletableFuture<String>>, which may do its work after the method has returned, without the lock.");
	}

	@Test
	void severalThatAreDoneMayBeDeclaredAsAnything() {
		try (LockedBeans beans = LockedBeans.of(Invoked.class)) {
			assertThat(beans.get(Invoked.class).run()).hasSize(1);
		}
	}

	@Test
	void whatIsDeclaredAsAnObjectIsRefusedWhenItIsReturned() {
		try (LockedBeans beans = LockedBeans.of(Undeclared.class)) {
			Undeclared bean = beans.get(Undeclared.class);
			assertThatIllegalStateException().isThrownBy(() -> bean.run(Stream.of("a")))
				.withMessageContaining("whose work would run without the lock. Return a collection");
			assertThat(bean.run("text")).isEqualTo("text");
			assertThat(beans.client().lastHandle().isHeld()).isFalse();
		}
	}

	@Test
	void aFutureThatGivesWorkOfWhichNothingIsDeclaredFailsAndKeepsTheLockUntilThatIsDone() {
		try (LockedBeans beans = LockedBeans.of(Undeclared.class)) {
			Undeclared bean = beans.get(Undeclared.class);
			CompletableFuture<String> work = new CompletableFuture<>();
			CompletableFuture<Object> result = bean.later(CompletableFuture.completedFuture(work));
			assertThat(result).failsWithin(Duration.ZERO)
				.withThrowableThat()
				.withMessageContaining("returned a CompletableFuture, whose work would run without the lock. Return a");
			assertThat(beans.client().isHeld("k")).isTrue();
			work.complete("done");
			assertThat(beans.client().isHeld("k")).isFalse();
			assertThat(bean.later(CompletableFuture.completedFuture("text"))).isCompletedWithValue("text");
		}
	}

	@Test
	void aPublisherThatGivesWorkOfWhichNothingIsDeclaredFailsAndKeepsTheLockUntilThatIsDone() {
		try (LockedBeans beans = LockedBeans.of(Undeclared.class)) {
			Undeclared bean = beans.get(Undeclared.class);
			CompletableFuture<String> work = new CompletableFuture<>();
			StepVerifier.create(bean.published(Mono.just(work)))
				.verifyErrorSatisfies((failure) -> assertThat(failure)
					.hasMessageContaining("returned a CompletableFuture, whose work would run without the lock"));
			assertThat(beans.client().isHeld("k")).isTrue();
			work.complete("done");
			assertThat(beans.client().isHeld("k")).isFalse();
			StepVerifier.create(bean.published(Mono.just(Flux.just("a"))))
				.verifyErrorSatisfies((failure) -> assertThat(failure).hasMessageContaining("Return a Completable"));
			StepVerifier.create(bean.published(Mono.just("text"))).expectNext("text").verifyComplete();
			assertThat(beans.client().isHeld("k")).isFalse();
		}
	}

	@Test
	void aTypeThatIsAVariableIsNotResolvedByEachCall() {
		try (LockClient client = MemoryLockClient.builder().build();
				LockedBeans beans = LockedBeans.on(client, PlainText.class, BoundText.class)) {
			PlainText plain = beans.get(PlainText.class);
			BoundText bound = beans.get(BoundText.class);
			assertThat(fewestBytes(bound::read)).isLessThan(fewestBytes(plain::read) + 100);
		}
	}

	private static long fewestBytes(Supplier<String> call) {
		ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		long fewest = Long.MAX_VALUE;
		for (int i = 0; i < 100; i++) {
			long before = threads.getCurrentThreadAllocatedBytes();
			String result = call.get();
			fewest = Math.min(fewest, threads.getCurrentThreadAllocatedBytes() - before);
			assertThat(result).isEqualTo("text");
		}
		return fewest;
	}

	static class Download {

		@DistributedLock
		public ResponseEntity<StreamingResponseBody> run() {
			return ResponseEntity.ok((out) -> {
			});
		}

	}

	static class Batch {

		@DistributedLock
		public List<CompletableFuture<String>> run() {
			return List.of(new CompletableFuture<>());
		}

	}

	static class PlainText {

		@DistributedLock(key = "plain")
		public String read() {
			return "text";
		}

	}

	static class VariableText<T> {

		@DistributedLock(key = "bound")
		public T read() {
			return value();
		}

		T value() {
			throw new UnsupportedOperationException();
		}

	}

	static class BoundText extends VariableText<String> {

		@Override
		String value() {
			return "text";
		}

	}

	static class Invoked {

		@DistributedLock
		public List<?> run() {
			return List.of(CompletableFuture.completedFuture("done"));
		}

	}

	static class Undeclared {

		@DistributedLock
		public Object run(Object result) {
			return result;
		}

		@DistributedLock(key = "k")
		public CompletableFuture<Object> later(CompletableFuture<Object> result) {
			return result;
		}

		@DistributedLock(key = "k")
		public Mono<Object> published(Mono<Object> result) {
			return result;
		}

	}

	interface Task extends Runnable {

	}

	static class Futures extends ArrayList<CompletableFuture<String>> {

		private static final long serialVersionUID = 1;

	}

	interface Methods {

		List<CompletableFuture<String>> futures();

		CompletableFuture<String>[] futureArray();

		Map<String, Future<String>> futuresByName();

		Set<? extends Mono<String>> publishers();

		Iterable<Flux<String>> pages();

		Futures ownFutures();

		ResponseEntity<List<CompletableFuture<String>>> futuresInResponse();

		Optional<CompletableFuture<String>[]> optionalFutures();

		CompletableFuture<List<CompletableFuture<String>>> futureOfFutures();

		Map<String, List<CompletableFuture<String>>> nestedFutures();

		List<Optional<CompletableFuture<String>>> optionals();

		List<Job> jobs();

		List<Deferred<String>> deferreds();

		List<Supplier<String>> suppliers();

		Runnable[] tasks();

		Map<String, Callable<String>> callables();

		List<Path> paths();

		@SuppressWarnings("rawtypes")
		List raw();

		List<?> unknown();

		int[] counts();

		Stream<String> stream();

		IntStream ints();

		Iterator<String> iterator();

		Sequence<String> sequence();

		Callable<String> callable();

		DeferredResult<String> deferredResult();

		WebAsyncTask<String> webAsyncTask();

		ResponseEntity<CompletableFuture<String>> futureInResponse();

		ResponseEntity<Flux<String>> publisherInResponse();

		Optional<CompletableFuture<String>> optionalFuture();

		CompletableFuture<CompletableFuture<String>> futureOfFuture();

		CompletableFuture<Mono<String>> futureOfMono();

		Mono<Flux<String>> monoOfFlux();

		Job job();

		Deferred<String> deferred();

		ReceiveChannel<String> channel();

		CompletableFuture<Job> futureOfJob();

		Supplier<String> supplier();

		Runnable runnable();

		Optional<Supplier<String>> optionalSupplier();

		StreamingResponseBody body();

		ResponseBodyEmitter emitter();

		SseEmitter events();

		ResponseEntity<StreamingResponseBody> bodyInResponse();

		CompletableFuture<ResponseEntity<SseEmitter>> emitterInResponseInFuture();

		List<String> list();

		ResponseEntity<String> textInResponse();

		ResponseEntity<?> someResponse();

		CompletableFuture<String> future();

		Mono<ResponseEntity<String>> mono();

		Flux<Flux<String>> windows();

		Task task();

		<F extends CompletableFuture<F>> F endless();

	}

}
