package io.github.zklock.aop;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.core.annotation.AliasFor;

import io.github.zklock.ClusterJob;
import io.github.zklock.DistributedLock;
import io.github.zklock.LockUnavailableException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What {@code @ClusterJob} promises.
 */
@ExtendWith(OutputCaptureExtension.class)
class ClusterJobTests {

	private static final String DEFAULT_KEY = Jobs.class.getName() + ".unnamed";

	private final LockedBeans beans = LockedBeans.of(Jobs.class);

	private final Jobs jobs = this.beans.get(Jobs.class);

	@AfterEach
	void closeContext() {
		this.beans.close();
	}

	@Test
	void aJobRunsUnderALockThatIsNamedAfterItsMethodAndTriesOnce() {
		this.jobs.unnamed();
		assertThat(this.jobs.runs()).isEqualTo(1);
		assertThat(this.beans.client().lastRequest().keys()).containsExactly(DEFAULT_KEY);
		assertThat(this.beans.client().lastRequest().timeout()).isEqualTo(Duration.ZERO);
		assertThat(this.beans.client().lastRequest().answerTimeout()).isEqualTo(Duration.ofSeconds(5));
		assertThat(this.beans.client().lastHandle().releases()).isOne();
	}

	@Test
	void aJobThatAnotherInstanceRunsIsSkipped() {
		this.beans.client().holdByAnother(DEFAULT_KEY);
		this.jobs.unnamed();
		assertThat(this.jobs.runs()).isEqualTo(0);
	}

	@Test
	void theKeyMayBeGivenUnderBothNames() {
		this.jobs.named();
		assertThat(this.beans.client().lastRequest().keys()).containsExactly("nightly");
		this.jobs.namedByKey(7);
		assertThat(this.beans.client().lastRequest().keys()).containsExactly("shard-7");
	}

	@Test
	void anAnnotationOfOnesOwnMayBeMadeOfIt() {
		this.jobs.own();
		assertThat(this.beans.client().lastRequest().keys()).containsExactly("own");
		assertThat(this.beans.client().lastRequest().timeout()).isEqualTo(Duration.ZERO);
	}

	@Test
	void anAnnotationOfOnesOwnMayNameTheKeyOfTheLock() {
		this.jobs.aliased();
		assertThat(this.beans.client().lastRequest().keys()).containsExactly("aliased");
	}

	@Test
	void theKeyOfTheJobMayBeReplaced() {
		this.jobs.replaced();
		assertThat(this.beans.client().lastRequest().keys()).containsExactly("replaced");
		this.jobs.kept();
		assertThat(this.beans.client().lastRequest().keys()).containsExactly("nightly");
		this.jobs.takenBack();
		assertThat(this.beans.client().lastRequest().keys()).containsExactly(Jobs.class.getName() + ".takenBack");
	}

	@Test
	void twoKeysThatDifferAreRefused() {
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> LockedBeans.of(TwoKeys.class))
			.havingRootCause()
			.withMessageContaining("the key of @ClusterJob is [nightly], but that of @DistributedLock [other]");
	}

	@Test
	void aJobIsNotSkippedSilentlyWhenZooKeeperIsAway() {
		this.beans.client().failWith(new LockUnavailableException("away"));
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(this.jobs::unnamed);
		assertThat(this.jobs.runs()).isEqualTo(0);
	}

	@Test
	void bothAnnotationsOnOneMethodAreRefused() {
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> LockedBeans.of(Twice.class))
			.havingRootCause()
			.withMessageContaining("more than once");
	}

	@Test
	void jobsThatWouldBeSkippedWhenAnotherOneHasRunAreRefused() {
		InvalidLockDefinitionException mistake = LockedBeans.mistake(OrdersImport.class, CustomersImport.class);
		assertThat(mistake.getProblem()).contains("CustomersImport.run(): the job of the bean 'customersImport'",
				"has that of ",
				"OrdersImport.run() of the bean 'ordersImport', and one is skipped when the other has run");
		assertThat(mistake.getRemedy()).contains("key = \"#root.target.class.name\"");
		assertThat(LockedBeans.mistake(TwoOfOneClass.class).getProblem()).contains("'first'", "'second'");
	}

	@Test
	void aMistakeIsThatOfTheAnnotationThatPeopleSee() {
		assertThat(LockedBeans.mistake(TakesOverAtOnce.class).getProblem())
			.startsWith("@ClusterJob on " + TakesOverAtOnce.class.getName())
			.contains("takesOver");
		assertThat(LockedBeans.mistake(TakesOverByInterface.class).getProblem()).startsWith("@ClusterJob on ");
	}

	@Test
	void jobsOfWhichOneIsSkippedWhileAnotherRunsAreWarnedOf(CapturedOutput output) {
		LockedBeans.of(Overloaded.class).close();
		assertThat(output).contains("The jobs ", "Overloaded.run(int) of the bean 'overloaded'",
				"Overloaded.run(String) of the bean 'overloaded'", "one is skipped while the other runs");
	}

	@Test
	void aJobOfABeanWithTwoNamesIsOneJob() {
		try (LockedBeans named = LockedBeans.of(TwoNames.class)) {
			assertThat(named.context().getBeanNamesForType(OrdersImport.class)).containsExactly("first", "other");
		}
	}

	@Test
	void aJobOfAPrototypeIsOneJob() {
		try (LockedBeans beans = LockedBeans.of(Prototypes.class)) {
			OrdersImport first = beans.get(OrdersImport.class);
			assertThat(beans.get(OrdersImport.class)).isNotSameAs(first);
		}
	}

	@Test
	void anObjectWithoutADefinitionIsNoOtherJob() {
		try (LockedBeans beans = LockedBeans.of(OrdersImport.class)) {
			Object initialized = beans.context().getBeanFactory().initializeBean(new OrdersImport(), "undefined");
			assertThat(initialized).isInstanceOf(OrdersImport.class);
		}
	}

	@Test
	void oneThatIsNotToRunAgainIsRefusedBesideOneThatMay() {
		for (Class<?> bean : List.of(FirstRunsAgain.class, SecondRunsAgain.class)) {
			assertThat(LockedBeans.mistake(bean).getProblem()).contains("and one is skipped when the other has run");
		}
	}

	@Test
	void jobsOfOneMethodMayHaveAKeyForEachClass() {
		try (LockedBeans imports = LockedBeans.of(OrdersWithKey.class, CustomersWithKey.class)) {
			imports.get(OrdersWithKey.class).run();
			imports.get(CustomersWithKey.class).run();
			assertThat(imports.client().requests()).extracting((request) -> request.keys().get(0))
				.containsExactly(OrdersWithKey.class.getName(), CustomersWithKey.class.getName());
		}
	}

	static class TakesOverAtOnce {

		@ClusterJob(takesOver = true)
		public void run() {
			// Nothing
		}

	}

	interface TakingOver {

		@ClusterJob(takesOver = true)
		void run();

	}

	static class Runs {

		public void run() {
			// Nothing
		}

	}

	static class TakesOverByInterface extends Runs implements TakingOver {

	}

	abstract static class Import {

		@ClusterJob(notAgainWithin = "1m")
		public void run() {
			// Nothing
		}

	}

	static class OrdersImport extends Import {

	}

	static class CustomersImport extends Import {

	}

	abstract static class ImportWithKey {

		@ClusterJob(key = "#root.target.class.name")
		public void run() {
			// Nothing
		}

	}

	static class OrdersWithKey extends ImportWithKey {

	}

	static class CustomersWithKey extends ImportWithKey {

	}

	@Configuration(proxyBeanMethods = false)
	static class Prototypes {

		@Bean
		@Scope(BeanDefinition.SCOPE_PROTOTYPE)
		OrdersImport orders() {
			return new OrdersImport();
		}

	}

	static class FirstRunsAgain {

		@ClusterJob
		public void run(int shard) {
			// Never
		}

		@ClusterJob(notAgainWithin = "1m")
		public void run(String shard) {
			// Never
		}

	}

	static class SecondRunsAgain {

		@ClusterJob(notAgainWithin = "1m")
		public void run(int shard) {
			// Never
		}

		@ClusterJob
		public void run(String shard) {
			// Never
		}

	}

	static class Overloaded {

		@ClusterJob
		public void run(int shard) {
			// Never
		}

		@ClusterJob
		public void run(String shard) {
			// Never
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoOfOneClass {

		@Bean
		OrdersImport first() {
			return new OrdersImport();
		}

		@Bean
		OrdersImport second() {
			return new OrdersImport();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoNames {

		@Bean
		OrdersImport first() {
			return new OrdersImport();
		}

		@Bean
		Import other(OrdersImport first) {
			return first;
		}

	}

	static class Jobs {

		private final AtomicInteger runs = new AtomicInteger();

		public int runs() {
			return this.runs.get();
		}

		@ClusterJob
		public void unnamed() {
			this.runs.incrementAndGet();
		}

		@ClusterJob("nightly")
		public void named() {
			this.runs.incrementAndGet();
		}

		@ClusterJob(key = "shard-#{#shard}")
		public void namedByKey(int shard) {
			this.runs.incrementAndGet();
		}

		@ReplacingJob(id = "replaced")
		public void replaced() {
			this.runs.incrementAndGet();
		}

		@KeepingJob
		public void kept() {
			this.runs.incrementAndGet();
		}

		@ReplacingJob
		public void takenBack() {
			this.runs.incrementAndGet();
		}

		@AliasedJob(name = "aliased")
		public void aliased() {
			this.runs.incrementAndGet();
		}

		@OwnJob(id = "own")
		public void own() {
			this.runs.incrementAndGet();
		}

	}

	static class TwoKeys {

		@NamedJob(name = "other")
		public void run() {
			// Never
		}

	}

	static class Twice {

		@ClusterJob
		@DistributedLock(key = "k")
		public void run() {
			// Never
		}

	}

	@ClusterJob
	@Retention(RetentionPolicy.RUNTIME)
	@interface AliasedJob {

		@AliasFor(annotation = DistributedLock.class, attribute = "key")
		String[] name();

	}

	@ClusterJob(key = "nightly")
	@Retention(RetentionPolicy.RUNTIME)
	@interface ReplacingJob {

		@AliasFor(annotation = ClusterJob.class, attribute = "key")
		String[] id() default {};

	}

	@ClusterJob("nightly")
	@Retention(RetentionPolicy.RUNTIME)
	@interface KeepingJob {

		@AliasFor(annotation = DistributedLock.class, attribute = "key")
		String name() default "";

	}

	@ClusterJob("nightly")
	@Retention(RetentionPolicy.RUNTIME)
	@interface NamedJob {

		@AliasFor(annotation = DistributedLock.class, attribute = "key")
		String[] name();

	}

	@ClusterJob
	@Retention(RetentionPolicy.RUNTIME)
	@interface OwnJob {

		@AliasFor(annotation = ClusterJob.class, attribute = "key")
		String[] id();

	}

}
