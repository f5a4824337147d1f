package io.github.zklock.test;

import java.util.stream.Stream;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget.MethodCallTarget;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.properties.CanBeAnnotated;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.ProxyRules;

import io.github.zklock.DistributedLock;

/**
 * Rules of ArchUnit for the code that locks. Needs {@code com.tngtech.archunit:archunit},
 * which is for the application to bring.
 *
 * @since 0.1.0
 */
public final class LockRules {

	private LockRules() {
	}

	/**
	 * Nothing calls a locked method of its own class: no proxy sees such a call, so it is
	 * not locked. A method is locked if it or an annotation of it has
	 * {@link DistributedLock @DistributedLock}; a public one that is not static, also if
	 * its class has.
	 * @return the rule; it also fails for a call on another object of the class
	 */
	public static ArchRule noSelfInvocation() {
		return ProxyRules.no_classes_should_directly_call_other_methods_declared_in_the_same_class_that(
				DescribedPredicate.describe("are locked", LockRules::isLocked));
	}

	private static boolean isLocked(MethodCallTarget target) {
		return isLocked((CanBeAnnotated) target) || (isLocked(target.getOwner()) && isPublic(target));
	}

	// Of an annotated class the public methods are locked
	private static boolean isPublic(MethodCallTarget target) {
		return target.resolveMember()
			.filter((method) -> method.getModifiers().contains(JavaModifier.PUBLIC)
					&& !method.getModifiers().contains(JavaModifier.STATIC))
			.isPresent();
	}

	private static boolean isLocked(CanBeAnnotated element) {
		return Stream.of(DistributedLock.class, DistributedLock.List.class)
			.anyMatch((type) -> element.isAnnotatedWith(type) || element.isMetaAnnotatedWith(type));
	}

}
