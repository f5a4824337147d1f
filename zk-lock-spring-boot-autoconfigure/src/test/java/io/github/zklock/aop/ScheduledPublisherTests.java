package io.github.zklock.aop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.scheduling.annotation.Scheduled;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import io.github.zklock.ClusterJob;
import io.github.zklock.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A publisher that is asked for once and subscribed to again and again has one lock only.
 */
class ScheduledPublisherTests {

	@ParameterizedTest
	@ValueSource(classes = { ScheduledByBean.class, ScheduledByTemplate.class, ScheduledByTarget.class,
			ScheduledByCondition.class })
	void scheduledPublisherWhoseLockVariesIsRefused(Class<?> bean) {
		LockedBeans.assertMistake(bean, "the method is @Scheduled and returns a publisher", "Mono.defer");
	}

	@Test
	void scheduledMethodThatIsCalledEachTimeMayHaveALockThatVaries() {
		try (LockedBeans beans = LockedBeans.of(ScheduledCalls.class)) {
			ScheduledCalls calls = beans.get(ScheduledCalls.class);
			calls.run();
			assertThat(calls.runAsync()).isNotNull();
			assertThat(beans.client().requests()).extracting((request) -> request.keys().get(0))
				.containsExactly("key-1", "key-2");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "#root['target'].key", "['target'].key", "#root.target().key", "target.getKey()",
			"'a'.concat(target().key)", "(true ? #root : null).target.key", "{#root}[0].target.key", "#this.target.key",
			"#root['tar'.concat('get')].key", "#root.target.class.name.concat(T(System).nanoTime())",
			"{T(System).nanoTime(): 1}.keySet()", "{@bean.next(): 1}", "{a: target.key}", "T(java.util.Locale).default",
			"T(java.util.concurrent.TimeUnit).DAYS.toMillis(1)", "T(java.util.Locale).ROOT.displayName",
			"new java.util.Random().nextInt()", "@bean.key", "{'a'}.![#this + #root.target.key]" })
	void expressionMayVary(String expression) {
		assertThat(VaryingExpressions.varies(new SpelExpressionParser().parseExpression(expression))).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "#root.target.class.name", "target.getClass().getName()", "#root?.target?.class.name",
			"#root['target'].class.simpleName", "#root.method().name", "#root['method'].name", "#root.args.length",
			"T(java.util.concurrent.TimeUnit).DAYS", "T(java.util.concurrent.TimeUnit).DAYS.name()", "T(Integer)",
			"{target: 'named'}['target']", "{'a', 'b'}.![#this.toUpperCase()]", "{'a', 'b'}.?[#this.length() > 1]",
			"{'a'}.![#this[0]]", "{{target: 'a'}}.![target]", "'a' + 1" })
	void expressionGivesAlwaysTheSame(String expression) {
		assertThat(VaryingExpressions.varies(new SpelExpressionParser().parseExpression(expression))).isFalse();
	}

	@Test
	void scheduledPublisherWhoseLockIsAlwaysTheSameIsFine() {
		try (LockedBeans beans = LockedBeans.of(ScheduledFixed.class)) {
			ScheduledFixed fixed = beans.get(ScheduledFixed.class);
			fixed.literal().block();
			assertThat(beans.client().lastRequest().keys()).containsExactly("fixed");
			fixed.quoted().block();
			assertThat(beans.client().lastRequest().keys()).containsExactly("a report (daily)");
			fixed.named().block();
			assertThat(beans.client().lastRequest().keys()).containsExactly("job-named");
			String type = ScheduledFixed.class.getName();
			fixed.ofClass().block();
			assertThat(beans.client().lastRequest().keys()).containsExactly(type, "job-" + type, "named");
			fixed.constant().block();
			assertThat(beans.client().lastRequest().keys()).containsExactly("WRITE", "9223372036854775807");
		}
	}

	static class ScheduledByBean {

		@Scheduled(fixedDelay = 1)
		@DistributedLock(key = "@scheduledByBean.key()")
		public Mono<Void> run() {
			return Mono.empty();
		}

		public String key() {
			return "key";
		}

	}

	static class ScheduledByTemplate {

		@Scheduled(fixedDelay = 1)
		@ClusterJob(key = "report-#{T(java.time.LocalDate).now()}")
		public Flux<String> run() {
			return Flux.empty();
		}

	}

	static class ScheduledByTarget {

		@Scheduled(fixedDelay = 1)
		@Scheduled(fixedDelay = 2)
		@DistributedLock(key = { "fixed", "#root.target.key" }, timeout = "0")
		public Mono<Void> run() {
			return Mono.empty();
		}

		public String getKey() {
			return "key";
		}

	}

	static class ScheduledByCondition {

		@Scheduled(fixedDelay = 1)
		@DistributedLock(key = "fixed", condition = "@scheduledByCondition.on()")
		public Mono<Void> run() {
			return Mono.empty();
		}

		public boolean on() {
			return true;
		}

	}

	static class ScheduledCalls {

		private final AtomicInteger calls = new AtomicInteger();

		@Scheduled(fixedDelay = 1)
		@DistributedLock(key = "@scheduledCalls.key()")
		public void run() {
		}

		@Scheduled(fixedDelay = 1)
		@DistributedLock(key = "@scheduledCalls.key()")
		public CompletableFuture<Void> runAsync() {
			return CompletableFuture.completedFuture(null);
		}

		public String key() {
			return "key-" + this.calls.incrementAndGet();
		}

	}

	static class ScheduledFixed {

		@Scheduled(fixedDelay = 1)
		@DistributedLock(key = "fixed")
		public Mono<Void> literal() {
			return Mono.empty();
		}

		@Scheduled(fixedDelay = 1)
		@DistributedLock(key = "'a report (daily)'", condition = "true")
		public Mono<Void> quoted() {
			return Mono.empty();
		}

		@Scheduled(fixedDelay = 1)
		@DistributedLock(key = "job-#{#root.method.name}")
		public Mono<Void> named() {
			return Mono.empty();
		}

		@Scheduled(fixedDelay = 1)
		@DistributedLock(key = { "#root.target.class.name", "job-#{target.getClass().getName()}",
				"#{{target: 'named'}['target']}" })
		public Mono<Void> ofClass() {
			return Mono.empty();
		}

		@Scheduled(fixedDelay = 1)
		@DistributedLock(key = { "#{T(io.github.zklock.LockMode).WRITE}", "T(java.lang.Long).MAX_VALUE" })
		public Mono<Void> constant() {
			return Mono.empty();
		}

	}

}
