package io.github.zklock.test;

import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.properties.CanBeAnnotated;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;

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
	 * Nothing calls, or refers to, a locked method of its own class: no proxy sees such a
	 * call, so it is not locked. A method is locked if it, one that it overrides or
	 * implements, or an annotation of these has {@link DistributedLock @DistributedLock};
	 * a public one that is not static, also if its class or a superclass has, and one of
	 * an interface, also if that has. A method that a type argument gives other
	 * parameters than where it is annotated is not recognised.
	 * @return the rule; it also fails for a call on another object of the class
	 */
	public static ArchRule noSelfInvocation() {
		return ArchRuleDefinition.classes().should(new ArchCondition<>("not call locked methods of their own") {

			@Override
			public void check(JavaClass type, ConditionEvents events) {
				Stream.concat(type.getMethodCallsFromSelf().stream(), type.getMethodReferencesFromSelf().stream())
					.filter((access) -> access.getTargetOwner().equals(type) && !isRecursive(access)
							&& !access.getOrigin().getModifiers().contains(JavaModifier.BRIDGE)
							&& isLocked(type, access))
					.forEach((access) -> events.add(SimpleConditionEvent.violated(access, access.getDescription())));
			}

		});
	}

	private static boolean isRecursive(JavaCodeUnitAccess<?> access) {
		return access.getOrigin().getName().equals(access.getName())
				&& access.getOrigin().getRawParameterTypes().equals(access.getTarget().getRawParameterTypes());
	}

	private static boolean isLocked(JavaClass type, JavaCodeUnitAccess<?> access) {
		String[] parameters = access.getTarget()
			.getRawParameterTypes()
			.stream()
			.map(JavaClass::getFullName)
			.toArray(String[]::new);
		List<JavaClass> types = Stream.of(List.of(type), type.getAllRawSuperclasses(), type.getAllRawInterfaces())
			.flatMap(Collection::stream)
			.toList();
		List<JavaMethod> declared = types.stream()
			.flatMap((some) -> some.tryGetMethod(access.getName(), parameters).stream())
			.toList();
		return declared.stream().anyMatch(LockRules::isAnnotated)
				|| (declared.stream().noneMatch((method) -> method.getOwner().isEquivalentTo(Object.class))
						&& declared.stream().anyMatch((method) -> isLockedByItsType(method, types)));
	}

	// Of a class the public methods, inherited ones included; of an interface, or one
	// that extends it, those that it has
	private static boolean isLockedByItsType(JavaMethod method, List<JavaClass> types) {
		return method.getModifiers().contains(JavaModifier.PUBLIC)
				&& !method.getModifiers().contains(JavaModifier.STATIC)
				&& types.stream()
					.anyMatch((type) -> type.isInterface()
							? isAnnotatedInterface(type) && type.isAssignableTo(method.getOwner().getFullName())
							: isAnnotated(type));
	}

	private static boolean isAnnotatedInterface(JavaClass type) {
		return Stream.concat(Stream.of(type), type.getAllRawInterfaces().stream()).anyMatch(LockRules::isAnnotated);
	}

	private static boolean isAnnotated(CanBeAnnotated element) {
		return Stream.of(DistributedLock.class, DistributedLock.List.class)
			.anyMatch((type) -> element.isAnnotatedWith(type) || element.isMetaAnnotatedWith(type));
	}

}
