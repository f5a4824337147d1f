package io.github.zklock.aop;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.reactivex.rxjava3.core.Single;
import jakarta.annotation.PostConstruct;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.core.PriorityOrdered;
import org.springframework.core.annotation.AliasFor;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.pulsar.annotation.PulsarListener;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.ParallelFlux;

import io.github.zklock.ClusterJob;
import io.github.zklock.DistributedLock;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.OnBusy;
import io.github.zklock.OnLost;
import io.github.zklock.aop.elsewhere.PackagePrivateLock;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Every mistake is found when the bean is created, with a message that says what to
 * change.
 */
class LockedBeanValidatorTests {

	private static void assertMistake(Class<?> bean, String problem, String remedy) {
		InvalidLockDefinitionException mistake = LockedBeans.mistake(bean);
		assertThat(mistake.getProblem()).contains(bean.getName()).contains(problem);
		assertThat(mistake.getRemedy()).contains(remedy);
		assertThat(mistake).hasMessage(mistake.getProblem() + " " + mistake.getRemedy());
	}

	@Test
	void messageNamesClassMethodAttributeAndValue() {
		assertThat(LockedBeans.mistake(BadTimeout.class)).hasMessage(
				"@DistributedLock on io.github.zklock.aop.LockedBeanValidatorTests$BadTimeout.run(String, int): "
						+ "timeout = \"2 sheep\" is not a duration. "
						+ "Write a duration with its unit, such as 500ms, 2s or PT2S.");
	}

	@Test
	void beansOfWhichSpringMakesNoProxyAreRefused() {
		for (Class<?> bean : List.of(LockedAdvice.class, LockedAdvisor.class, LockedPointcut.class)) {
			assertMistake(bean, "the bean is an aspect or a part of one", "Lock a method of another bean");
		}
	}

	@Test
	void annotationThatAnEarlierProxyByInterfaceHidesIsRefused() {
		InvalidLockDefinitionException mistake = LockedBeans.mistake(BehindAnInterface.class, EarlierProxies.class);
		assertThat(mistake.getProblem()).contains("BehindAnInterface.run()",
				"the bean has a proxy by its interfaces already");
		assertThat(mistake.getRemedy()).contains("@EnableAsync");
	}

	@Test
	void annotationOfTheInterfaceIsNotHidden() {
		try (LockedBeans beans = LockedBeans.of(LockedByInterface.class, EarlierProxies.class)) {
			beans.get(LockedPort.class).run();
			assertThat(beans.client().requests()).hasSize(1);
		}
	}

	@Test
	void jobsOfBeansInACircleAreRefused() {
		InvalidLockDefinitionException mistake = LockedBeans.mistake(Egg.class, Hen.class);
		assertThat(mistake.getProblem()).contains("Egg.run()", "the bean is in a circular reference");
		assertThat(mistake.getRemedy()).contains("@Lazy");
	}

	@Test
	void soAreListenersAlsoOfAnInterface() {
		assertThat(LockedBeans.mistake(Spawn.class, Frog.class).getProblem()).contains("Spawn.run()",
				"the bean is in a circular reference");
	}

	@Test
	void alsoIfAnotherBeanOfTheClassIsInNone() {
		assertThat(LockedBeans.mistake(Nest.class).getProblem()).contains("Job.run()",
				"the bean is in a circular reference");
	}

	@Test
	void othersInACircleAreLocked() {
		try (LockedBeans beans = LockedBeans.of(Chicken.class, Hatch.class)) {
			beans.get(Hatch.class).open();
			assertThat(beans.client().lastRequest().keys()).containsExactly("chicken");
		}
	}

	@Test
	void badSpelIsRefused() {
		assertMistake(BadSpel.class, "key = \"#id +\" is not a SpEL expression", "single quotes");
		assertMistake(BadTemplate.class, "key = \"order-#{#id\" is not a SpEL expression", "Correct the expression");
		assertMistake(BadCondition.class, "condition = \"#id ==\" is not a SpEL expression", "Correct the expression");
	}

	@Test
	void textThatOnlyLooksLikeSpelIsRefusedWithTheWayOut() {
		assertMistake(LooksLikeSpel.class, "key = \"a report (daily)\"", "goes into single quotes");
	}

	@Test
	void unknownParameterNameIsRefused() {
		assertMistake(UnknownParameter.class,
				"uses #idd, but the method has no such parameter; known are [#id, #p0, #a0]", "Correct the expression");
		assertMistake(UnknownParameterInCondition.class, "uses #nothing", "Correct the expression");
		assertMistake(UnknownPosition.class, "uses #p1", "Correct the expression");
		assertMistake(UnknownDeepInside.class, "uses #other", "Correct the expression");
	}

	@Test
	void forgottenHashIsRefused() {
		assertMistake(ForgottenHash.class, "uses 'id', which #root does not have; arguments are written #id",
				"Correct");
		assertMistake(UnknownRootProperty.class, "uses 'arguments', which #root does not have", "Correct");
		assertMistake(MethodOnNothing.class, "calls the method hash(..) on nothing", "Correct");
	}

	@Test
	void unknownBeanIsRefused() {
		assertMistake(UnknownBean.class, "an expression uses @missing, but there is no bean of that name",
				"Define the bean");
	}

	@Test
	void unknownStrategyIsRefusedListingTheKnownOnes() {
		assertMistake(UnknownStrategy.class, "strategy = \"nave\" names no lock strategy",
				"Use one of fair, naive, sequential");
	}

	@Test
	void badDurationsAreRefused() {
		assertMistake(NoUnit.class, "timeout = \"5\" has no unit", "500ms, 2s or PT2S");
		assertMistake(Negative.class, "timeout = \"-1s\" is negative", "500ms, 2s or PT2S");
		assertMistake(BadMaxHold.class, "maxHold = \"soon\" is not a duration", "500ms, 2s or PT2S");
		assertMistake(ZeroMaxHold.class, "maxHold = \"0\" would give the lock up at once", "positive duration");
	}

	@Test
	void unresolvablePlaceholderIsRefused() {
		assertMistake(MissingProperty.class, "timeout = \"${no.such.property}\" has a placeholder",
				"Define the property");
		assertMistake(BlankKey.class, "key = \"${no.such.property:}\" is blank", "leave the attribute out");
	}

	@Test
	void keyThatIsTooLongIsRefused() {
		assertMistake(LongKey.class, "is no key", "1 to 1024 characters");
	}

	@Test
	void keyAndValueThatDifferAreRefused() {
		assertMistake(KeyAndValue.class, "the attribute 'key' says [a], but its alias 'value' says [b]",
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
		assertMistake(TwoLocks.class, "it is there more than once", "it can take several keys");
	}

	@Test
	void whatTheSecondOfTwoAnnotationsSaysForAllIsRefused() {
		assertMistake(TwoTimeouts.class, "timeout = \"3s\" is not what the first of its annotations says",
				"Write it in the first one");
		assertMistake(SecondSkips.class, "onBusy = \"SKIP\" is not what the first", "Write it in the first one");
		assertMistake(SecondHasStrategy.class, "strategy = \"naive\" is not what", "Write it in the first one");
		assertMistake(SecondHasCondition.class, "condition = \"false\" is not what", "Write it in the first one");
		assertMistake(SecondHasFallback.class, "fallback = \"other\" is not what", "Write it in the first one");
		assertMistake(SecondInterrupts.class, "onLost = \"INTERRUPT\" is not what", "Write it in the first one");
		assertMistake(SecondHasBound.class, "maxHold = \"1s\" is not what", "Write it in the first one");
		assertMistake(SecondHasNoKey.class, "it is repeated, but one of them has no key", "Give each a key");
	}

	@Test
	void permitsThatCannotBeAreRefused() {
		assertMistake(NegativePermits.class, "permits = \"-1\" is out of bounds", "Write from 1 to 10000");
		assertMistake(TooManyPermits.class, "permits = \"10001\" is out of bounds", "Write from 1 to 10000");
		assertMistake(PermitsOfAJob.class, "permits = \"2\" is there for a job", "Leave it out");
		assertMistake(PermitsToRead.class, "permits = \"5\" is there with mode READ", "Write one of them");
	}

	@Test
	void methodsThatNoProxyCanLockAreRefused() {
		assertMistake(FinalMethod.class, "the method is final", "Remove 'final'");
		assertMistake(PrivateMethod.class, "the method is private", "Make it public");
		assertMistake(StaticMethod.class, "the method is static", "Remove 'static'");
		assertMistake(FinalMethodOfLockedClass.class, "the method is final", "Remove 'final'");
		assertMistake(OfAnotherPackage.class, "the method is package-private and comes from another package",
				"Make it public or protected");
		assertMistake(Callback.class, "the container calls a @PostConstruct method on the bean itself", "another bean");
	}

	@Test
	void finalClassIsRefusedWhenProxiesAreMadeByClass() {
		assertMistake(FinalClass.class, "the class is final", "Remove 'final'");
		assertMistake(FinalClassWithInterface.class, "the class is final", "Remove 'final'");
	}

	@Test
	void finalClassIsFineWhenProxiesAreMadeByInterface() {
		try (LockedBeans beans = LockedBeans.byInterface(FinalClassWithInterface.class)) {
			beans.get(Runnable.class).run();
			assertThat(beans.client().requests()).hasSize(1);
		}
	}

	@Test
	void finalClassIsFineWhenItsDefinitionAsksForAProxyByInterface() {
		assumeTrue(ClassUtils.isPresent("org.springframework.context.annotation.Proxyable", null),
				"Spring before 7 has no @Proxyable");
		try (LockedBeans beans = LockedBeans.of(FinalClassWithInterface.class, ProxiedByInterfaces.class)) {
			beans.get(Runnable.class).run();
			assertThat(beans.client().requests()).hasSize(1);
		}
	}

	@Test
	void finalMethodIsRefusedWhereAnotherBeanOfItsClassIsProxiedByInterface() {
		assumeTrue(ClassUtils.isPresent("org.springframework.context.annotation.Proxyable", null),
				"Spring before 7 has no @Proxyable");
		assertThat(LockedBeans.mistake(TwoWithFinalMethods.class, ProxiedByInterfaces.class).getProblem())
			.contains("the method is final");
	}

	@Test
	void methodsOfAClassAreFoundOnceHoweverItsBeansAreProxied() {
		assumeTrue(ClassUtils.isPresent("org.springframework.context.annotation.Proxyable", null),
				"Spring before 7 has no @Proxyable");
		try (LockedBeans beans = LockedBeans.of(TwoWithInterfaces.class, ProxiedByInterfaces.class)) {
			assertThat(AopUtils.isJdkDynamicProxy(beans.context().getBean("proxiedByInterface"))).isTrue();
			assertThat(AopUtils.isCglibProxy(beans.context().getBean("proxiedByClass"))).isTrue();
			assertThat(beans.get(LockedBeanValidator.class).lockedMethods()).isOne();
		}
	}

	@Test
	void finalMethodIsFineWhenProxiesAreMadeByInterface() {
		try (LockedBeans beans = LockedBeans.byInterface(FinalMethodWithInterface.class)) {
			beans.get(Runnable.class).run();
			assertThat(beans.client().requests()).hasSize(1);
		}
	}

	@Test
	void methodThatIsOnNoInterfaceIsRefusedWhenProxiesAreMadeByInterface() {
		assertThat(LockedBeans.mistakeByInterface(NotOnInterface.class).getProblem())
			.contains("the bean is proxied by its interfaces, and none of them has the method");
	}

	@Test
	void finalMethodOfAnUnlockedSuperclassIsNoMistakeOfTheSubclass() {
		try (LockedBeans beans = LockedBeans.of(LockedSubclass.class)) {
			beans.get(LockedSubclass.class).run();
			assertThat(beans.client().requests()).hasSize(1);
		}
	}

	@Test
	void missingFallbackIsRefused() {
		assertMistake(NoFallback.class, "fallback = \"nowhere\" names no method of the class",
				"Declare a method 'nowhere'");
	}

	@Test
	void fallbackWithOtherParametersIsRefused() {
		assertMistake(WrongFallbackParameters.class, "names no method with the right parameters",
				"optionally followed by a LockTimeoutException");
	}

	@Test
	void fallbackWithOtherReturnTypeIsRefused() {
		assertMistake(WrongFallbackResult.class, "returns Integer where String is needed", "return type");
	}

	@Test
	void fallbackWithAnUndeclaredExceptionIsRefused() {
		assertMistake(UndeclaredException.class,
				"fallback = \"other\" names a method that declares IOException, which run does not",
				"Declare it there, too");
		assertMistake(UndeclaredTypeVariable.class, "declares IOException, which run does not",
				"Declare it there, too");
		assertMistake(UndeclaredByFuture.class, "declares Exception, which run does not", "Declare it there, too");
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
		assertMistake(DeclaredByInterface.class, "declares IOException, which order does not", "Declare it there, too");
	}

	@SuppressWarnings("unchecked")
	private static Shop<String> shop(LockedBeans beans) {
		return beans.get(Shop.class);
	}

	@Test
	void fallbackWithAnExceptionThatNoInterfaceDeclaresIsRefusedWhenProxiesAreMadeByInterface() {
		assertThat(LockedBeans.mistakeByInterface(UndeclaredByInterface.class).getProblem())
			.contains("declares IOException, which run does not");
	}

	@Test
	void lockedFallbackIsRefused() {
		assertMistake(LockedFallback.class, "names a method that has a @DistributedLock itself",
				"Remove the annotation");
	}

	@Test
	void fallbackWithSkipIsRefused() {
		assertMistake(FallbackAndSkip.class, "fallback = \"other\" contradicts onBusy = SKIP", "Remove one of them");
	}

	@Test
	void skipOfPrimitivesIsRefused() {
		assertMistake(SkipPrimitive.class, "which int does not have", "Return a wrapper type");
	}

	@Test
	void skipOfPublishersThatMustEmitIsRefused() {
		assertMistake(SkipSingle.class, "which Single does not have", "a Maybe for a Single");
	}

	@Test
	void resultsThatOutliveTheMethodAreRefused() {
		assertMistake(ReturnsFuture.class, "returns a Future, which does not report when its work is done",
				"CompletableFuture");
		assertMistake(ReturnsFutureTask.class, "returns a FutureTask", "CompletableFuture");
		assertMistake(ReturnsParallelFlux.class,
				"returns a ParallelFlux, whose work begins when the method has returned",
				"Declare Mono, Flux or Publisher");
		assertMistake(ReturnsSubmissionPublisher.class, "returns a SubmissionPublisher",
				"Declare Mono, Flux or Publisher");
	}

	@ParameterizedTest
	@ValueSource(classes = { ScheduledByBean.class, ScheduledByTemplate.class, ScheduledByTarget.class,
			ScheduledByCondition.class })
	void scheduledPublisherWhoseLockVariesIsRefused(Class<?> bean) {
		assertMistake(bean, "the method is @Scheduled and returns a publisher", "Mono.defer");
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
	void beanThatIsCreatedBeforeProxiesCanBeMadeIsRefused() {
		assertThat(LockedBeans.mistake(Early.class, DependsOnEarly.class).getProblem())
			.contains("bean 'early' is created before Spring makes proxies");
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
		assertMistake(PublicInheritsMistake.class, "is not a duration", "Write a duration");
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

	static class LockedAdvice implements MethodInterceptor {

		@DistributedLock(key = "k")
		@Override
		public Object invoke(MethodInvocation invocation) throws Throwable {
			return invocation.proceed();
		}

	}

	static class LockedAdvisor extends DefaultPointcutAdvisor {

		private static final long serialVersionUID = 1L;

		@DistributedLock(key = "k")
		public void reload() {
		}

	}

	static class LockedPointcut extends StaticMethodMatcherPointcut {

		@Override
		public boolean matches(Method method, Class<?> targetClass) {
			return false;
		}

		@DistributedLock(key = "k")
		public void reload() {
		}

	}

	static class Egg {

		@Autowired
		private Hen hen;

		@Scheduled(fixedDelay = 1)
		@ClusterJob
		public void run() {
			assertThat(this.hen).isNotNull();
		}

	}

	static class Hen {

		@Autowired
		void hatchedFrom(Egg egg) {
			assertThat(egg).isNotNull();
		}

	}

	interface Hatching {

		@PulsarListener
		void run();

	}

	static class Spawn implements Hatching {

		@Autowired
		private Frog frog;

		@Override
		@ClusterJob
		public void run() {
			assertThat(this.frog).isNotNull();
		}

	}

	static class Frog {

		@Autowired
		void hatchedFrom(Spawn spawn) {
			assertThat(spawn).isNotNull();
		}

	}

	@Configuration
	static class Nest {

		@Bean
		Job alone() {
			return new Job(false);
		}

		@Bean
		Job between() {
			return new Job(true);
		}

		@Bean
		Neighbour neighbour() {
			return new Neighbour();
		}

	}

	static class Job {

		private final boolean meets;

		Job(boolean meets) {
			this.meets = meets;
		}

		@Autowired
		void meet(BeanFactory beans) {
			if (this.meets) {
				beans.getBean(Neighbour.class);
			}
		}

		@Scheduled(fixedDelay = 1)
		@ClusterJob
		public void run() {
		}

	}

	static class Neighbour {

		@Autowired
		void meet(@Qualifier("between") Job job) {
			assertThat(job).isNotNull();
		}

	}

	static class Chicken {

		@Autowired
		private Hatch hatch;

		@DistributedLock(key = "chicken")
		public void run() {
			assertThat(this.hatch).isNotNull();
		}

	}

	static class Hatch {

		@Autowired
		private Chicken chicken;

		void open() {
			this.chicken.run();
		}

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

	static class OfAnotherPackage extends PackagePrivateLock {

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

	static class FinalMethod {

		@DistributedLock
		public final void run() {
		}

	}

	static class PrivateMethod {

		@DistributedLock
		@SuppressWarnings("UnusedMethod")
		private void run() {
		}

	}

	static class StaticMethod {

		@DistributedLock
		public static void run() {
		}

	}

	@DistributedLock
	static class FinalMethodOfLockedClass {

		public final void run() {
		}

	}

	static class Callback {

		@PostConstruct
		@DistributedLock
		public void run() {
		}

	}

	static final class FinalClass {

		@DistributedLock
		public void run() {
		}

	}

	static final class FinalClassWithInterface implements Runnable {

		@Override
		@DistributedLock
		public void run() {
		}

	}

	/**
	 * As {@code @Proxyable(ProxyType.INTERFACES)} does, which not all of Spring's lines
	 * have.
	 */
	static class ProxiedByInterfaces implements BeanFactoryPostProcessor {

		@Override
		public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
			Stream.of("finalClassWithInterface", "proxiedByInterface")
				.filter(beanFactory::containsBeanDefinition)
				.map(beanFactory::getBeanDefinition)
				.forEach((definition) -> definition.setAttribute(
						"org.springframework.aop.framework.autoproxy.AutoProxyUtils.exposedInterfaces",
						new Class<?>[0]));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoWithFinalMethods {

		@Bean
		FinalMethodWithInterface proxiedByInterface() {
			return new FinalMethodWithInterface();
		}

		@Bean
		FinalMethodWithInterface proxiedByClass() {
			return new FinalMethodWithInterface();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoWithInterfaces {

		@Bean
		BehindAnInterface proxiedByInterface() {
			return new BehindAnInterface();
		}

		@Bean
		BehindAnInterface proxiedByClass() {
			return new BehindAnInterface();
		}

	}

	static class FinalMethodWithInterface implements Runnable {

		@Override
		@DistributedLock
		public final void run() {
		}

	}

	static class NotOnInterface implements Runnable {

		@Override
		public void run() {
		}

		@DistributedLock
		public void other() {
		}

	}

	static class UnlockedSuperclass {

		public final void inherited() {
		}

	}

	@DistributedLock
	static class LockedSubclass extends UnlockedSuperclass {

		public void run() {
		}

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

	static class SkipSingle {

		@DistributedLock(onBusy = OnBusy.SKIP)
		public Single<String> run() {
			return Single.just("");
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

	static class Early {

		@DistributedLock
		public void run() {
		}

	}

	static class DependsOnEarly implements BeanPostProcessor, BeanFactoryAware, PriorityOrdered {

		@Override
		public void setBeanFactory(BeanFactory beanFactory) {
			beanFactory.getBean(Early.class);
		}

		@Override
		public int getOrder() {
			return 0;
		}

	}

	static class BehindAnInterface implements Runnable {

		@Override
		@DistributedLock
		public void run() {
		}

	}

	interface LockedPort {

		@DistributedLock
		void run();

	}

	static class LockedByInterface implements LockedPort {

		@Override
		public void run() {
		}

	}

	static class EarlierProxies implements BeanPostProcessor, PriorityOrdered {

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			return (bean instanceof BehindAnInterface || bean instanceof LockedByInterface)
					? new ProxyFactory(bean).getProxy() : bean;
		}

		@Override
		public int getOrder() {
			return 0;
		}

	}

}
