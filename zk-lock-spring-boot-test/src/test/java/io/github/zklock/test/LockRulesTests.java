package io.github.zklock.test;

import java.util.function.Consumer;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.EvaluationResult;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.ClusterJob;
import io.github.zklock.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;

class LockRulesTests {

	private static EvaluationResult evaluate(Class<?> type) {
		return LockRules.noSelfInvocation().evaluate(new ClassFileImporter().importClasses(type));
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

}
