package io.github.zklock.aop;

import java.io.InputStream;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.TimeUnit;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.junit.jupiter.api.Test;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.core.annotation.AliasFor;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.ParallelFlux;

import io.github.zklock.ClusterJob;
import io.github.zklock.DistributedLock;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.OnBusy;
import io.github.zklock.OnLost;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Every mistake is found when the bean is created, with a message that says what to
 * change.
 */
class LockedBeanValidatorTests {

	@Test
	void messageNamesClassMethodAttributeAndValue() {
		assertThat(LockedBeans.mistake(BadTimeout.class)).hasMessage(
				"@DistributedLock on io.github.zklock.aop.LockedBeanValidatorTests$BadTimeout.run(String, int): "
						+ "timeout = \"2 sheep\" is not a duration. "
						+ "Write a duration with its unit, such as 500ms, 2s or PT2S.");
	}

	@Test
	void badSpelIsRefused() {
		LockedBeans.assertMistake(BadSpel.class, "key = \"#id +\" is not a SpEL expression", "single quotes");
		LockedBeans.assertMistake(BadTemplate.class, "key = \"order-#{#id\" is not a SpEL expression",
				"Correct the expression");
		LockedBeans.assertMistake(BadCondition.class, "condition = \"#id ==\" is not a SpEL expression",
				"Correct the expression");
	}

	@Test
	void textThatOnlyLooksLikeSpelIsRefusedWithTheWayOut() {
		LockedBeans.assertMistake(LooksLikeSpel.class, "key = \"a report (daily)\"", "goes into single quotes");
	}

	@Test
	void unknownParameterNameIsRefused() {
		LockedBeans.assertMistake(UnknownParameter.class,
				"uses #idd, but the method has no such parameter; known are [#id, #p0, #a0]", "Correct the expression");
		LockedBeans.assertMistake(UnknownParameterInCondition.class, "uses #nothing", "Correct the expression");
		LockedBeans.assertMistake(UnknownPosition.class, "uses #p1", "Correct the expression");
		LockedBeans.assertMistake(UnknownDeepInside.class, "uses #other", "Correct the expression");
	}

	@Test
	void forgottenHashIsRefused() {
		LockedBeans.assertMistake(ForgottenHash.class,
				"uses 'id', which #root does not have; arguments are written #id, and #root has method, target, args",
				"Correct");
		LockedBeans.assertMistake(UnknownRootProperty.class, "uses 'arguments', which #root does not have", "Correct");
		LockedBeans.assertMistake(MethodOnNothing.class, "calls the method hash(..) on nothing", "Correct");
	}

	@Test
	void unknownBeanIsRefused() {
		LockedBeans.assertMistake(UnknownBean.class, "an expression uses @missing, but there is no bean of that name",
				"Define the bean");
	}

	@Test
	void unknownStrategyIsRefusedListingTheKnownOnes() {
		LockedBeans.assertMistake(UnknownStrategy.class, "strategy = \"nave\" names no lock strategy",
				"Use one of fair, naive, sequential");
	}

	@Test
	void badDurationsAreRefused() {
		LockedBeans.assertMistake(NoUnit.class, "timeout = \"5\" has no unit", "500ms, 2s or PT2S");
		LockedBeans.assertMistake(Negative.class, "timeout = \"-1s\" is negative", "500ms, 2s or PT2S");
		LockedBeans.assertMistake(BadMaxHold.class, "maxHold = \"soon\" is not a duration", "500ms, 2s or PT2S");
		LockedBeans.assertMistake(ZeroMaxHold.class, "maxHold = \"0\" would give the lock up at once",
				"positive duration");
	}

	@Test
	void unresolvablePlaceholderIsRefused() {
		LockedBeans.assertMistake(MissingProperty.class, "timeout = \"${no.such.property}\" has a placeholder",
				"Define the property");
		LockedBeans.assertMistake(BlankKey.class, "key = \"${no.such.property:}\" is blank", "leave the attribute out");
	}

	@Test
	void keyThatIsTooLongIsRefused() {
		LockedBeans.assertMistake(LongKey.class, "is no key", "1 to 1024 characters");
	}

	@Test
	void keyAndValueThatDifferAreRefused() {
		LockedBeans.assertMistake(KeyAndValue.class, "the attribute 'key' says [a], but its alias 'value' says [b]",
				"Give one of them.");
	}

	@Test
	void keyAndValueThatAgreeAreNotRefused() {
		try (LockedBeans beans = LockedBeans.of(KeyIsValue.class)) {
			beans.get(KeyIsValue.class).run();
			assertThat(beans.client().lastRequest().keys()).containsExactly("a");
		}
	}

	@Test
	void twoLocksOnOneMethodAreRefused() {
		LockedBeans.assertMistake(TwoLocks.class, "it is there more than once", "it can take several keys");
	}

	@Test
	void whatTheSecondOfTwoAnnotationsSaysForAllIsRefused() {
		LockedBeans.assertMistake(TwoTimeouts.class, "timeout = \"3s\" is not what the first of its annotations says",
				"Write it in the first one");
		LockedBeans.assertMistake(SecondSkips.class, "onBusy = \"SKIP\" is not what the first",
				"Write it in the first one");
		LockedBeans.assertMistake(SecondHasStrategy.class, "strategy = \"naive\" is not what",
				"Write it in the first one");
		LockedBeans.assertMistake(SecondHasCondition.class, "condition = \"false\" is not what",
				"Write it in the first one");
		LockedBeans.assertMistake(SecondHasFallback.class, "fallback = \"other\" is not what",
				"Write it in the first one");
		LockedBeans.assertMistake(SecondInterrupts.class, "onLost = \"INTERRUPT\" is not what",
				"Write it in the first one");
		LockedBeans.assertMistake(SecondHasBound.class, "maxHold = \"1s\" is not what", "Write it in the first one");
		LockedBeans.assertMistake(SecondHasNoKey.class, "it is repeated, but one of them has no key",
				"Give each a key");
	}

	@Test
	void permitsThatCannotBeAreRefused() {
		LockedBeans.assertMistake(NegativePermits.class, "permits = \"-1\" is out of bounds", "Write from 1 to 10000");
		LockedBeans.assertMistake(TooManyPermits.class, "permits = \"10001\" is out of bounds",
				"Write from 1 to 10000");
		LockedBeans.assertMistake(PermitsOfAJob.class, "permits = \"2\" is there for a job", "Leave it out");
		LockedBeans.assertMistake(PermitsToRead.class, "permits = \"5\" is there with mode READ", "Write one of them");
	}

	@Test
	void resultsThatOutliveTheMethodAreRefused() {
		LockedBeans.assertMistake(ReturnsFuture.class, "returns a Future, which does not report when its work is done",
				"CompletableFuture");
		LockedBeans.assertMistake(ReturnsFutureTask.class, "returns a FutureTask", "CompletableFuture");
		LockedBeans.assertMistake(ReturnsParallelFlux.class,
				"returns a ParallelFlux, whose work begins when the method has returned",
				"Declare Mono, Flux or Publisher");
		LockedBeans.assertMistake(ReturnsSubmissionPublisher.class, "returns a SubmissionPublisher",
				"Declare Mono, Flux or Publisher");
	}

	@Test
	void beanThatIsCreatedLaterIsCheckedThen() {
		try (LockedBeans beans = LockedBeans.of(LazyMistake.class, PrototypeMistake.class)) {
			for (int i = 0; i < 2; i++) {
				assertThat(catchThrowable(() -> beans.get(LazyMistake.class)))
					.hasRootCauseInstanceOf(InvalidLockDefinitionException.class)
					.rootCause()
					.hasMessageContaining("names no lock strategy");
			}
			assertThat(catchThrowable(() -> beans.get(PrototypeMistake.class))).rootCause()
				.hasMessageContaining("has no unit");
		}
	}

	@Test
	void aMistakeOfALazyBeanIsNoneOfAnother() {
		try (LockedBeans beans = LockedBeans.of(LazyMistakes.class, LazyGood.class)) {
			assertThat(catchThrowable(() -> beans.get(LazyMistakes.class))).rootCause()
				.hasMessageContaining("names no lock strategy");
			assertThat(beans.get(LazyGood.class)).isNotNull();
		}
	}

	@Test
	void aLazyBeanThatHasNoProxyLeavesItsOtherMistakesToNobody() {
		try (LockedBeans beans = LockedBeans.of(LazyAdvice.class, LazyGood.class)) {
			assertThat(catchThrowable(() -> beans.get(LazyAdvice.class))).rootCause()
				.hasMessageContaining("the bean is an aspect");
			assertThat(beans.get(LazyGood.class)).isNotNull();
		}
	}

	@Test
	void aMistakeIsThatOfTheThreadWhoseBeanHasIt() throws Exception {
		DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();
		CountDownLatch asked = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		LockedBeanValidator validator = new LockedBeanValidator(new LockedMethods(beanFactory), () -> {
			if (Thread.currentThread().getName().equals("test-actor-bad")) {
				asked.countDown();
				await().until(() -> goOn.getCount() == 0);
			}
			return Optional.of(Set.of("sequential"));
		}, () -> true);
		validator.afterSingletonsInstantiated();
		try (Actor actor = new Actor("test-actor-bad")) {
			CompletableFuture<Object> bad = actor
				.call(() -> validator.postProcessAfterInitialization(new LazyMistakes(), "bad"));
			assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
			validator.postProcessAfterInitialization(new LazyGood(), "good");
			assertThatExceptionOfType(InvalidLockDefinitionException.class).as("the second of the class")
				.isThrownBy(() -> validator.postProcessAfterInitialization(new LazyMistakes(), "bad"));
			goOn.countDown();
			assertThat(bad).failsWithin(Duration.ofSeconds(20))
				.withThrowableThat()
				.withCauseInstanceOf(InvalidLockDefinitionException.class);
		}
	}

	@Test
	void beanWithoutLocksNeedsNoStrategies() {
		try (LockedBeans beans = LockedBeans.of(Plain.class)) {
			assertThat(beans.get(Plain.class)).isNotNull();
		}
	}

	@Test
	void classFileOfABeanWithoutLocksIsNotRead() throws Exception {
		DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();
		LockedBeanValidator validator = new LockedBeanValidator(new LockedMethods(beanFactory), Optional::empty,
				() -> true);
		ObservedLoader loader = new ObservedLoader();
		validator.postProcessAfterInitialization(loader.make(Plain.class), "plain");
		assertThat(loader.read).isEmpty();
		validator.postProcessAfterInitialization(loader.make(KeyIsValue.class), "locked");
		assertThat(loader.read).isNotEmpty();
	}

	@Test
	void placementMistakeOfAnInheritedMethodNamesTheBean() {
		assertThatExceptionOfType(InvalidLockDefinitionException.class).isThrownBy(() -> {
			throw LockedBeans.mistake(InheritsMistake.class);
		}).withMessageContaining("InheritsMistake.run(String, int)");
	}

	@Test
	void whatAPublicClassInheritsFromOneThatIsNotIsCheckedToo() {
		LockedBeans.assertMistake(PublicInheritsMistake.class, "is not a duration", "Write a duration");
		try (LockedBeans beans = LockedBeans.of(PublicInheritsFallback.class)) {
			LockHandle other = beans.client().holdByAnother("busy");
			assertThat(beans.get(PublicInheritsFallback.class).run()).isEqualTo("busy");
			other.release();
		}
	}

	/** Defines classes anew, and remembers which files are read by them. */
	private static final class ObservedLoader extends ClassLoader {

		private final List<String> read = new ArrayList<>();

		ObservedLoader() {
			super(LockedBeanValidatorTests.class.getClassLoader());
		}

		Object make(Class<?> type) throws Exception {
			try (InputStream file = type.getResourceAsStream(ClassUtils.getClassFileName(type))) {
				byte[] bytes = file.readAllBytes();
				return BeanUtils.instantiateClass(defineClass(type.getName(), bytes, 0, bytes.length));
			}
		}

		@Override
		public InputStream getResourceAsStream(String name) {
			this.read.add(name);
			return super.getResourceAsStream(name);
		}

	}

	static class Plain {

	}

	static class BadTimeout {

		@DistributedLock(timeout = "2 sheep")
		public void run(String id, int part) {
		}

	}

	static class InheritsMistake extends BadTimeout {

	}

	public static class PublicInheritsMistake extends BadTimeout {

	}

	static class WithFallback {

		@DistributedLock(key = "busy", timeout = "0s", fallback = "busy")
		public String run() {
			return "ran";
		}

		public String busy() {
			return "busy";
		}

	}

	public static class PublicInheritsFallback extends WithFallback {

	}

	@Lazy
	static class LazyMistakes {

		@DistributedLock(strategy = "nave")
		public void first() {
		}

		@DistributedLock(strategy = "nave")
		public void second() {
		}

	}

	@Lazy
	static class LazyAdvice implements MethodInterceptor {

		@DistributedLock(strategy = "nave")
		@Override
		public Object invoke(MethodInvocation invocation) throws Throwable {
			return invocation.proceed();
		}

	}

	@Lazy
	static class LazyGood {

		@DistributedLock
		public void run() {
		}

	}

	static class BadSpel {

		@DistributedLock(key = "#id +")
		public void run(String id) {
		}

	}

	static class BadTemplate {

		@DistributedLock(key = "order-#{#id")
		public void run(String id) {
		}

	}

	static class BadCondition {

		@DistributedLock(condition = "#id ==")
		public void run(String id) {
		}

	}

	static class LooksLikeSpel {

		@DistributedLock(key = "a report (daily)")
		public void run() {
		}

	}

	static class UnknownParameter {

		@DistributedLock(key = "#idd")
		public void run(String id) {
		}

	}

	static class UnknownParameterInCondition {

		@DistributedLock(condition = "#nothing > 1")
		public void run(String id) {
		}

	}

	static class UnknownPosition {

		@DistributedLock(key = "#p1")
		public void run(String id) {
		}

	}

	static class UnknownDeepInside {

		@DistributedLock(key = "order-#{#id.concat(#other.toString())}")
		public void run(String id) {
		}

	}

	static class ForgottenHash {

		@DistributedLock(key = "'order-' + id")
		public void run(String id) {
		}

	}

	static class UnknownRootProperty {

		@DistributedLock(key = "#root.arguments[0]")
		public void run(String id) {
		}

	}

	static class MethodOnNothing {

		@DistributedLock(key = "hash(#id)")
		public void run(String id) {
		}

	}

	static class UnknownBean {

		@DistributedLock(key = "@missing.key(#id)")
		public void run(String id) {
		}

	}

	static class UnknownStrategy {

		@DistributedLock(strategy = "nave")
		public void run() {
		}

	}

	static class NoUnit {

		@DistributedLock(timeout = "5")
		public void run() {
		}

	}

	static class Negative {

		@DistributedLock(timeout = "-1s")
		public void run() {
		}

	}

	static class BadMaxHold {

		@DistributedLock(maxHold = "soon")
		public void run() {
		}

	}

	static class ZeroMaxHold {

		@DistributedLock(maxHold = "0")
		public void run() {
		}

	}

	static class MissingProperty {

		@DistributedLock(timeout = "${no.such.property}")
		public void run() {
		}

	}

	static class BlankKey {

		@DistributedLock(key = "${no.such.property:}")
		public void run() {
		}

	}

	static class LongKey {

		private static final String TEN = "0123456789";

		private static final String HUNDRED = TEN + TEN + TEN + TEN + TEN + TEN + TEN + TEN + TEN + TEN;

		private static final String THOUSAND = HUNDRED + HUNDRED + HUNDRED + HUNDRED + HUNDRED + HUNDRED + HUNDRED
				+ HUNDRED + HUNDRED + HUNDRED;

		@DistributedLock(key = THOUSAND + HUNDRED)
		public void run() {
		}

	}

	static class KeyAndValue {

		@DistributedLock(key = "a", value = "b")
		public void run() {
		}

	}

	static class KeyIsValue {

		@DistributedLock(key = "a", value = "a")
		public void run() {
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(key = "other")
	@interface OtherLock {

	}

	static class TwoTimeouts {

		@DistributedLock(key = "a", timeout = "2s")
		@DistributedLock(key = "b", timeout = "3s")
		public void run() {
		}

	}

	static class SecondSkips {

		@DistributedLock(key = "a", timeout = "0")
		@DistributedLock(key = "b", timeout = "0", onBusy = OnBusy.SKIP)
		public void run() {
		}

	}

	static class SecondHasStrategy {

		@DistributedLock(key = "a")
		@DistributedLock(key = "b", strategy = "naive")
		public void run() {
		}

	}

	static class SecondHasCondition {

		@DistributedLock(key = "a")
		@DistributedLock(key = "b", condition = "false")
		public void run() {
		}

	}

	static class SecondHasFallback {

		@DistributedLock(key = "a")
		@DistributedLock(key = "b", fallback = "other")
		public void run() {
		}

		void other() {
		}

	}

	static class SecondInterrupts {

		@DistributedLock(key = "a")
		@DistributedLock(key = "b", onLost = OnLost.INTERRUPT)
		public void run() {
		}

	}

	static class SecondHasBound {

		@DistributedLock(key = "a")
		@DistributedLock(key = "b", maxHold = "1s")
		public void run() {
		}

	}

	static class TooManyPermits {

		@DistributedLock(key = "a", permits = 10_001)
		public void run() {
		}

	}

	static class PermitsOfAJob {

		@JobWithPermits
		public void run() {
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@ClusterJob("job")
	@interface JobWithPermits {

		@AliasFor(annotation = DistributedLock.class, attribute = "permits")
		int permits() default 2;

	}

	static class NegativePermits {

		@DistributedLock(key = "a", permits = -1)
		public void run() {
		}

	}

	static class PermitsToRead {

		@DistributedLock(key = "a", permits = 5, mode = LockMode.READ)
		public void run() {
		}

	}

	static class SecondHasNoKey {

		@DistributedLock(key = "a")
		@DistributedLock(mode = LockMode.READ)
		public void run() {
		}

	}

	static class TwoLocks {

		@OtherLock
		@DistributedLock(key = "a")
		public void run() {
		}

	}

	static class ReturnsFuture {

		@DistributedLock
		public Future<String> run() {
			return new FutureTask<>(() -> "");
		}

	}

	static class ReturnsFutureTask {

		@DistributedLock
		public FutureTask<String> run() {
			return new FutureTask<>(() -> "");
		}

	}

	static class ReturnsParallelFlux {

		@DistributedLock
		public ParallelFlux<String> run() {
			return Flux.<String>empty().parallel();
		}

	}

	static class ReturnsSubmissionPublisher {

		@DistributedLock
		public SubmissionPublisher<String> run() {
			return new SubmissionPublisher<>();
		}

	}

	@Lazy
	static class LazyMistake {

		@DistributedLock(strategy = "nave")
		public void run() {
		}

	}

	@Scope("prototype")
	static class PrototypeMistake {

		@DistributedLock(timeout = "5")
		public void run() {
		}

	}

}
