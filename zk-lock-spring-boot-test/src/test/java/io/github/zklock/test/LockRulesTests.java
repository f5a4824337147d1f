package io.github.zklock.test;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.EvaluationResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;

import io.github.zklock.ClusterJob;
import io.github.zklock.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;

class LockRulesTests {

	private static EvaluationResult evaluate(Class<?>... types) {
		return LockRules.noSelfInvocation().evaluate(new ClassFileImporter().importClasses(types));
	}

	// With the superclasses, interfaces and nested classes
	private static Class<?>[] hierarchy(Class<?> type) {
		Set<Class<?>> types = new LinkedHashSet<>();
		for (Class<?> some = type; some != Object.class; some = some.getSuperclass()) {
			types.add(some);
			types.addAll(List.of(some.getInterfaces()));
			types.addAll(List.of(some.getNestMembers()).stream().filter(isWithin(some)).toList());
		}
		return types.toArray(Class<?>[]::new);
	}

	private static Predicate<Class<?>> isWithin(Class<?> type) {
		return (member) -> member.getName().startsWith(type.getName() + "$");
	}

	@ParameterizedTest
	@ValueSource(classes = { OnMethod.class, OnClass.class, Job.class, Repeated.class, OfSubclass.class,
			Inheriting.class, OfInterfaceMethod.class, OfInterface.class, OfExtendingInterface.class,
			OfExtendedInterface.class, Overriding.class, Referring.class })
	void callsOfLockedMethodsOfTheSameClassAreFound(Class<?> type) {
		assertThat(evaluate(type).getFailureReport().getDetails()).singleElement()
			.asString()
			.contains(type.getSimpleName() + ".all()", type.getSimpleName() + ".one()");
	}

	@ParameterizedTest
	@ValueSource(classes = { ThroughAnother.class, Unlocked.class, Helpers.class, Recursive.class, Extended.class,
			OfOtherInterface.class, Bridged.class, OfObject.class })
	void otherCallsAreNot(Class<?> type) {
		assertThat(evaluate(type).hasViolation()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(classes = { OfTemplate.class, OfTemplateWithMore.class, OfDefault.class, BySuper.class,
			BySuperOfDefault.class, FromAnonymous.class, FromInnerOfSuperclass.class, FromLambda.class,
			CallingFinalTemplate.class, InitializedFinally.class, InjectedFinally.class, FromFinalOfInner.class })
	void callsThatReachALockedMethodOfTheSameObjectAreFound(Class<?> type) {
		assertThat(evaluate(hierarchy(type)).getFailureReport().getDetails()).singleElement()
			.asString()
			.contains(".one()");
	}

	@ParameterizedTest
	@ValueSource(classes = { OfReplacedTemplate.class, BySuperOfUnlocked.class, Delegating.class, Constructing.class,
			DelegatingToInterface.class, FromNested.class, FromMain.class, OtherOfTemplate.class,
			OfFinalTemplate.class })
	void callsThatReachNoneAreNot(Class<?> type) {
		assertThat(evaluate(hierarchy(type)).getFailureReport().getDetails()).isEmpty();
	}

	@Test
	void whatASuperclassHasIsReportedOnce() {
		assertThat(evaluate(OnMethod.class, InheritingAll.class, InheritingToo.class).getFailureReport().getDetails())
			.singleElement()
			.asString()
			.endsWith("of an object of <" + OnMethod.class.getName() + ">");
	}

	static class OnMethod {

		void all() {
			one();
		}

		@DistributedLock(key = "one")
		void one() {
		}

	}

	@DistributedLock(key = "one")
	static class OnClass {

		void all() {
			one();
		}

		public void one() {
		}

	}

	@DistributedLock(key = "one")
	static class Helpers {

		public void all() {
			one();
			another();
			common();
		}

		private void one() {
		}

		void another() {
		}

		public static void common() {
		}

	}

	static class Repeated {

		void all() {
			one();
		}

		@DistributedLock(key = "one")
		@DistributedLock(key = "other")
		void one() {
		}

	}

	static class Job {

		void all() {
			one();
		}

		@ClusterJob
		void one() {
		}

	}

	static class OfSubclass extends OnClass {

		@Override
		void all() {
			one();
		}

		@Override
		public void one() {
		}

	}

	static class Inheriting extends OnClass {

		@Override
		void all() {
			one();
		}

	}

	interface LockedMethod {

		@DistributedLock(key = "one")
		void one();

	}

	static class OfInterfaceMethod implements LockedMethod {

		void all() {
			one();
		}

		@Override
		public void one() {
		}

	}

	@DistributedLock(key = "one")
	interface Locked {

		void one();

	}

	static class OfInterface implements Locked {

		void all() {
			one();
		}

		@Override
		public void one() {
		}

	}

	@DistributedLock(key = "one")
	interface Extending extends Unlockable {

	}

	interface Unlockable {

		void one();

	}

	static class OfExtendingInterface implements Extending {

		void all() {
			one();
		}

		@Override
		public void one() {
		}

	}

	interface ExtendingLocked extends Locked {

		void two();

	}

	static class OfExtendedInterface implements ExtendingLocked {

		void all() {
			one();
		}

		@Override
		public void one() {
		}

		@Override
		public void two() {
		}

	}

	static class Bridged implements Consumer<String> {

		@DistributedLock(key = "one")
		@Override
		public void accept(String text) {
		}

	}

	@DistributedLock(key = "one")
	static class OfObject {

		public String all() {
			return toString();
		}

		@Override
		public String toString() {
			return "one";
		}

	}

	static class OfOtherInterface implements Locked {

		void all() {
			other();
		}

		public void other() {
		}

		@Override
		public void one() {
		}

	}

	static class Overriding extends OnMethod {

		@Override
		void all() {
			one();
		}

		@Override
		void one() {
		}

	}

	static class Referring {

		void all() {
			Runnable later = this::one;
			later.run();
		}

		@DistributedLock(key = "one")
		void one() {
		}

	}

	static class Recursive {

		@DistributedLock(key = "one")
		void one(int left) {
			if (left > 0) {
				one(left - 1);
			}
		}

	}

	static class Extended extends OnMethod {

		@Override
		void one() {
			super.one();
		}

	}

	record ThroughAnother(OnMethod another) {

		void all() {
			this.another.one();
		}

	}

	static class Unlocked {

		void all() {
			one();
		}

		void one() {
		}

	}

	abstract static class Template {

		void all() {
			one();
		}

		abstract void one();

	}

	static class OfTemplate extends Template {

		@DistributedLock(key = "one")
		@Override
		void one() {
		}

	}

	static class OfTemplateWithMore extends Template {

		@Override
		void all() {
			super.all();
		}

		@DistributedLock(key = "one")
		@Override
		void one() {
		}

	}

	static class OfReplacedTemplate extends Template {

		@Override
		void all() {
		}

		@DistributedLock(key = "one")
		@Override
		void one() {
		}

	}

	static class OtherOfTemplate extends Template {

		@Override
		void one() {
		}

		@DistributedLock(key = "one")
		void one(int count) {
		}

	}

	abstract static class FinalTemplate {

		public final void all() {
			one();
		}

		abstract void one();

	}

	static class OfFinalTemplate extends FinalTemplate {

		@DistributedLock(key = "one")
		@Override
		void one() {
		}

	}

	static class FromFinalOfInner {

		Runnable all() {
			return new Inner();
		}

		@DistributedLock(key = "one")
		void one() {
		}

		class Inner implements Runnable {

			@Override
			public final void run() {
				one();
			}

		}

	}

	static class InitializedFinally implements InitializingBean {

		@Override
		public final void afterPropertiesSet() {
			one();
		}

		@DistributedLock(key = "one")
		void one() {
		}

	}

	static class InjectedFinally {

		@Autowired
		public final void all(ApplicationContext context) {
			one();
		}

		@DistributedLock(key = "one")
		void one() {
		}

	}

	static class CallingFinalTemplate extends OfFinalTemplate {

		void twice() {
			all();
			all();
		}

	}

	interface WithDefault {

		default void all() {
			one();
		}

		void one();

	}

	static class OfDefault implements WithDefault {

		@DistributedLock(key = "one")
		@Override
		public void one() {
		}

	}

	static class LockedOne {

		@DistributedLock(key = "one")
		void one() {
		}

	}

	static class BySuper extends LockedOne {

		void all() {
			super.one();
		}

	}

	interface LockedDefault {

		@DistributedLock(key = "one")
		default void one() {
		}

	}

	static class BySuperOfDefault implements LockedDefault {

		void all() {
			LockedDefault.super.one();
		}

	}

	static class BySuperOfUnlocked extends Unlocked {

		void another() {
			super.one();
		}

		@Override
		void all() {
		}

		@DistributedLock(key = "one")
		@Override
		void one() {
		}

	}

	static class FromAnonymous {

		Runnable all() {
			return new Runnable() {

				@Override
				public void run() {
					one();
				}

			};
		}

		@DistributedLock(key = "one")
		void one() {
		}

	}

	abstract static class WithInner {

		abstract void one();

		class Inner {

			void all() {
				one();
			}

		}

	}

	static class FromInnerOfSuperclass extends WithInner {

		@DistributedLock(key = "one")
		@Override
		void one() {
		}

	}

	static class FromLambda extends LockedOne {

		Runnable all() {
			return () -> {
				Runnable later = super::one;
				later.run();
			};
		}

	}

	static class Delegating extends LockedOne {

		private final LockedOne another;

		Delegating(LockedOne another) {
			this.another = another;
		}

		void all() {
			this.another.one();
		}

	}

	static class Constructing extends LockedOne {

		void all() {
			new LockedOne().one();
		}

	}

	static class DelegatingToInterface implements LockedMethod {

		void all(LockedMethod another) {
			another.one();
		}

		@Override
		public void one() {
		}

	}

	static class FromNested extends LockedOne {

		record Caller(FromNested another) {

			void all() {
				this.another.one();
			}

		}

	}

	static class FromMain extends LockedOne {

		static void all(FromMain another) {
			another.one();
		}

	}

	static class InheritingAll extends OnMethod {

	}

	static class InheritingToo extends OnMethod {

	}

}
