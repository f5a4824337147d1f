package io.github.zklock.autoconfigure.web;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import org.apache.catalina.Context;
import org.apache.catalina.Wrapper;
import org.apache.catalina.startup.Tomcat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockClient;
import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.autoconfigure.ZkLockAopAutoConfiguration;
import io.github.zklock.autoconfigure.ZkLockAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * What is answered where a lock could not be acquired, by servlets and reactively.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockProblemsTests {

	private static final AutoConfigurations OURS = AutoConfigurations.of(ZkLockAutoConfiguration.class,
			ZkLockAopAutoConfiguration.class, ZkLockWebAutoConfiguration.class);

	private static final String[] SETTINGS = { "zk-lock.in-memory=true", "zk-lock.timeout=0",
			"zk-lock.web.problem-details=true" };

	private static final String SHOP = Shop.class.getName();

	@TempDir
	private static Path directory;

	/** The two ways to serve. */
	private enum Web {

		SERVLET {
			@Override
			void serve(Consumer<RestClient> test, Class<?>... more) {
				new WebApplicationContextRunner().withConfiguration(OURS)
					.withUserConfiguration(Servlets.class, Shop.class)
					.withUserConfiguration(more)
					.withPropertyValues(SETTINGS)
					.run((context) -> {
						assertThat(context).hasNotFailed();
						Tomcat server = new Tomcat();
						server.setPort(0);
						server.setBaseDir(directory.toString());
						Context root = server.addContext("", null);
						Wrapper dispatcher = Tomcat.addServlet(root, "dispatcher", new DispatcherServlet(context));
						dispatcher.setAsyncSupported(true);
						dispatcher.addMapping("/");
						try {
							server.start();
							holding(context, () -> test.accept(client(server.getConnector().getLocalPort())));
						}
						finally {
							server.stop();
							server.destroy();
						}
					});
			}
		},

		REACTIVE {
			@Override
			void serve(Consumer<RestClient> test, Class<?>... more) {
				new ReactiveWebApplicationContextRunner().withConfiguration(OURS)
					.withUserConfiguration(Reactive.class, Shop.class)
					.withUserConfiguration(more)
					.withPropertyValues(SETTINGS)
					.run((context) -> {
						assertThat(context).hasNotFailed();
						var handler = WebHttpHandlerBuilder.applicationContext(context).build();
						DisposableServer server = HttpServer.create()
							.host("localhost")
							.port(0)
							.handle(new ReactorHttpHandlerAdapter(handler))
							.bindNow();
						try {
							holding(context, () -> test.accept(client(server.port())));
						}
						finally {
							server.disposeNow();
						}
					});
			}
		};

		abstract void serve(Consumer<RestClient> test, Class<?>... more);

		private static void holding(BeanFactory context, Runnable test) throws InterruptedException {
			LockRequest request = LockRequest.exclusive("taken");
			try (LockHandle lock = context.getBean(LockClient.class).acquire(request)) {
				test.run();
				assertThat(lock.isHeld()).isTrue();
			}
		}

		private static RestClient client(int port) {
			return RestClient.builder()
				.baseUrl("http://localhost:" + port)
				.defaultStatusHandler((status) -> true, (request, response) -> {
				})
				.build();
		}

	}

	@ParameterizedTest
	@EnumSource
	void aBusyLockIsLockedAndSaysWhenToTryAgain(Web web) {
		web.serve((client) -> {
			for (String path : new String[] { "/busy", "/busy-async", "/busy-mono", "/wrapped" }) {
				ResponseEntity<ProblemDetail> answer = get(client, path);
				assertProblem(answer, HttpStatus.LOCKED, "busy");
				assertThat(answer.getHeaders().getFirst(HttpHeaders.RETRY_AFTER)).as(path).isEqualTo("1");
			}
		});
	}

	@ParameterizedTest
	@EnumSource
	void withoutZooKeeperTheServiceIsUnavailable(Web web) {
		web.serve((client) -> {
			ResponseEntity<ProblemDetail> answer = get(client, "/unavailable");
			assertProblem(answer, HttpStatus.SERVICE_UNAVAILABLE, "unavailable");
			assertThat(answer.getHeaders().getFirst(HttpHeaders.RETRY_AFTER)).isEqualTo("5");
		});
	}

	@ParameterizedTest
	@EnumSource
	void aWriteWithoutAnAnswerIsNotToBeRepeatedBlindly(Web web) {
		web.serve((client) -> {
			ResponseEntity<ProblemDetail> answer = get(client, "/perhaps-written");
			assertProblem(answer, HttpStatus.SERVICE_UNAVAILABLE, "unavailable");
			assertThat(answer.getHeaders().getFirst(HttpHeaders.RETRY_AFTER)).isNull();
			assertThat(answer.getBody().getDetail()).contains("Look whether it took effect");
		});
	}

	@ParameterizedTest
	@EnumSource
	void aLostLockIsAnErrorThatIsNotToBeRepeatedBlindly(Web web) {
		web.serve((client) -> {
			ResponseEntity<ProblemDetail> answer = get(client, "/lost");
			assertProblem(answer, HttpStatus.INTERNAL_SERVER_ERROR, "lost");
			assertThat(answer.getHeaders().getFirst(HttpHeaders.RETRY_AFTER)).isNull();
		});
	}

	@ParameterizedTest
	@EnumSource
	void whatTheApplicationHandlesItselfIsLeftToIt(Web web) {
		web.serve((client) -> assertThat(get(client, "/busy").getStatusCode()).isEqualTo(HttpStatus.CONFLICT),
				OwnAdvice.class);
	}

	@ParameterizedTest
	@EnumSource
	void aMistakeIsAnErrorWhoseStackTraceIsLoggedOnly(Web web, CapturedOutput output) {
		web.serve((client) -> {
			assertProblem(get(client, "/upgrade"), HttpStatus.INTERNAL_SERVER_ERROR, "failed");
			assertThat(output).contains("ERROR").contains("LockUpgradeException").contains("at " + SHOP + ".upgrade");
		});
	}

	@ParameterizedTest
	@EnumSource
	void theStatusThatTheApplicationGaveToItsOwnExceptionIsLeftToIt(Web web) {
		web.serve((client) -> {
			for (String path : new String[] { "/own-status", "/own-annotation", "/own-unavailable", "/own-failure" }) {
				ResponseEntity<Void> answer = client.get().uri(path).retrieve().toBodilessEntity();
				assertThat(answer.getStatusCode()).as(path).isEqualTo(HttpStatus.CONFLICT);
			}
		});
	}

	@ParameterizedTest
	@EnumSource
	void anAnswerThatHasBegunIsBrokenOffAndNotCompleted(Web web) {
		web.serve((client) -> assertThatException()
			.isThrownBy(() -> client.get().uri("/begun").retrieve().body(String.class))
			.withStackTraceContaining("closed DURING response"));
	}

	private static ResponseEntity<ProblemDetail> get(RestClient client, String path) {
		return client.get().uri(path).retrieve().toEntity(ProblemDetail.class);
	}

	private static void assertProblem(ResponseEntity<ProblemDetail> answer, HttpStatus status, String type) {
		assertThat(answer.getStatusCode()).isEqualTo(status);
		assertThat(answer.getHeaders().getContentType()).isEqualTo(MediaType.APPLICATION_PROBLEM_JSON);
		assertThat(answer.getBody()).satisfies((problem) -> {
			assertThat(problem.getType()).hasToString("urn:zk-lock:" + type);
			assertThat(problem.getStatus()).isEqualTo(status.value());
			assertThat(problem.getDetail()).isNotBlank().doesNotContain("taken", "lock");
		});
	}

	@Test
	void onlyWhoAsksForThemHasThem() {
		new WebApplicationContextRunner().withConfiguration(OURS)
			.withPropertyValues("zk-lock.in-memory=true")
			.run((context) -> assertThat(context).doesNotHaveBean(LockProblems.class));
		new ApplicationContextRunner().withConfiguration(OURS)
			.withPropertyValues(SETTINGS)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockProblems.class));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableWebMvc
	@RestController
	static class Servlets {

		@GetMapping("/begun")
		void begun(OutputStream body) throws IOException {
			body.write("begun".getBytes(StandardCharsets.UTF_8));
			body.flush();
			throw new LockLostException("Lock 'taken' was lost");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableWebFlux
	@RestController
	static class Reactive {

		@GetMapping(path = "/begun", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
		Flux<String> begun() {
			return Flux.just("begun").concatWith(Mono.error(new LockLostException("Lock 'taken' was lost")));
		}

	}

	@RestController
	static class Shop {

		private final LockClient locks;

		Shop(LockClient locks) {
			this.locks = locks;
		}

		@GetMapping("/busy")
		@DistributedLock(key = "taken")
		String busy() {
			return "not locked";
		}

		@GetMapping("/busy-async")
		CompletionStage<String> busyAsync() {
			return this.locks.acquireAsync(LockRequest.exclusive("taken")).thenApply((handle) -> "not locked");
		}

		@GetMapping("/busy-mono")
		@DistributedLock(key = "taken")
		Mono<String> busyMono() {
			return Mono.just("not locked");
		}

		@GetMapping("/wrapped")
		String wrapped() throws InterruptedException {
			try {
				return this.locks.call(LockRequest.exclusive("taken"), () -> "not locked");
			}
			catch (RuntimeException ex) {
				throw new IllegalStateException("No order", ex);
			}
		}

		@GetMapping("/upgrade")
		String upgrade() throws InterruptedException {
			try (LockHandle read = this.locks.acquire(LockRequest.read("read"))) {
				this.locks.acquire(LockRequest.write("read")).release();
				return "locked by " + read;
			}
		}

		@GetMapping("/own-status")
		String ownStatus() throws InterruptedException {
			try {
				return busy(LockRequest.exclusive("taken"));
			}
			catch (LockTimeoutException ex) {
				throw new ResponseStatusException(HttpStatus.CONFLICT, "Ordered already", ex);
			}
		}

		@GetMapping("/own-annotation")
		String ownAnnotation() throws InterruptedException {
			try {
				return busy(LockRequest.exclusive("taken"));
			}
			catch (LockTimeoutException ex) {
				throw new OrderedException(ex);
			}
		}

		@GetMapping("/own-unavailable")
		String ownUnavailable() {
			throw new OrderedException(new LockUnavailableException("ZooKeeper gave no answer for lock 'taken'"));
		}

		@GetMapping("/own-failure")
		String ownFailure() {
			throw new OrderedException(new LockException("Interrupted while waiting for lock 'taken'"));
		}

		private String busy(LockRequest request) throws InterruptedException {
			this.locks.acquire(request).release();
			return "not locked";
		}

		@GetMapping("/unavailable")
		String unavailable() {
			throw new LockUnavailableException("ZooKeeper gave no answer for lock 'taken'");
		}

		@GetMapping("/perhaps-written")
		String perhapsWritten() {
			throw new LockUnavailableException("ZooKeeper gave no answer to a write under lock 'taken'", null, true);
		}

		@GetMapping("/lost")
		String lost() {
			throw new LockLostException("Lock 'taken' was lost");
		}

	}

	@ResponseStatus(HttpStatus.CONFLICT)
	static class OrderedException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		OrderedException(Throwable cause) {
			super(cause);
		}

	}

	@RestControllerAdvice
	static class OwnAdvice {

		@ExceptionHandler
		@ResponseStatus(HttpStatus.CONFLICT)
		ProblemDetail any(RuntimeException ex) {
			return ProblemDetail.forStatus(HttpStatus.CONFLICT);
		}

	}

}
