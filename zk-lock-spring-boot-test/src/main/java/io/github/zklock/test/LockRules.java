package io.github.zklock.test;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
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

	private static final String SUSPENDING = "$suspendImpl";

	private static final String CONTINUATION = "kotlin.coroutines.jvm.internal.ContinuationImpl";

	private static final List<String> OF_CONTAINER = List.of("org.springframework.beans.factory.Aware",
			"org.springframework.beans.factory.InitializingBean", "org.springframework.beans.factory.DisposableBean",
			"java.lang.AutoCloseable");

	private LockRules() {
	}

	/**
	 * Nothing calls, or refers to, a locked method of its own object: no proxy sees such
	 * a call, so it is not locked. A method is locked if it, one that it overrides or
	 * implements, or an annotation of these has {@link DistributedLock @DistributedLock};
	 * a public one that is not static, also if its class or a superclass has, and one of
	 * an interface, also if that has. The calls are those in a class, in its superclasses
	 * and interfaces as far as they are among the analysed classes, in lambdas, and in
	 * inner classes of them; each is looked at for every class that inherits it.
	 * <p>
	 * Which object is called is not known. A call on another object of the class that has
	 * the call fails, too, unless a static method makes it. A call of a method of the
	 * direct superclass or interface is taken for one by {@code super}, unless its method
	 * also has a parameter, reads a field, calls a method or constructor, that gives an
	 * object of that type. Not found are calls on {@code this} as another type, by
	 * reflection, or through what the object has given to another class, and calls of a
	 * method that a type argument gives other parameters than where it is annotated. Nor
	 * are those by a final method that no other method of the object calls: on a proxy of
	 * a subclass, which is Spring Boot's default, it runs on the proxy, which locks what
	 * it calls, unless it is annotated or of an interface of the container's. On a proxy
	 * of interfaces it does not.
	 * @return the rule
	 */
	public static ArchRule noSelfInvocation() {
		return ArchRuleDefinition.classes().should(new ArchCondition<>("not call locked methods of their own") {

			@Override
			public void check(JavaClass type, ConditionEvents events) {
				List<JavaClass> types = typesOf(type);
				Set<JavaCodeUnitAccess<?>> found = selfInvocations(types);
				if (found.isEmpty()) {
					return;
				}
				// What a superclass has is reported there
				types.stream()
					.skip(1)
					.filter(JavaClass::isFullyImported)
					.forEach((some) -> found.removeAll(selfInvocations(typesOf(some))));
				found.forEach((access) -> events.add(SimpleConditionEvent.violated(access,
						access.getDescription() + " of an object of <" + type.getName() + ">")));
			}

		});
	}

	// The nearest first
	private static List<JavaClass> typesOf(JavaClass type) {
		return Stream.of(List.of(type), type.getAllRawSuperclasses(), type.getAllRawInterfaces())
			.flatMap(Collection::stream)
			.toList();
	}

	private static Set<JavaCodeUnitAccess<?>> selfInvocations(List<JavaClass> types) {
		if (types.stream().noneMatch(LockRules::hasLocks)) {
			return Set.of();
		}
		return types.stream()
			.flatMap((some) -> some.getMethods().stream())
			.filter((method) -> !isCodeOfFunction(method))
			.flatMap((method) -> method.getAccessesToSelf()
				.stream()
				.filter((access) -> isOnThis(access, types) ? isLocked(types, method)
						: isOfSuper(access, method, types) && isLocked(typesOf(access.getTargetOwner()), method)))
			.collect(Collectors.toCollection(LinkedHashSet::new));
	}

	// Kotlin has the code of an open suspending function in a static method, which has
	// copies of its annotations
	private static boolean isCodeOfFunction(JavaCodeUnit method) {
		return method.getName().endsWith(SUSPENDING)
				&& method.getModifiers().containsAll(Set.of(JavaModifier.STATIC, JavaModifier.SYNTHETIC));
	}

	// It calls the suspending function that it belongs to, which goes on so
	private static boolean isContinuation(JavaClass type) {
		return type.getRawSuperclass().filter((extended) -> extended.getName().equals(CONTINUATION)).isPresent();
	}

	private static boolean isOnThis(JavaCodeUnitAccess<?> access, List<JavaClass> types) {
		JavaClass caller = access.getOriginOwner();
		while (!caller.equals(access.getTargetOwner()) && caller.isInnerClass()) {
			caller = caller.getEnclosingClass().orElseThrow();
		}
		return caller.equals(access.getTargetOwner()) && types.contains(caller) && mayRun(access, types);
	}

	// The bytecode would know, but ArchUnit does not say
	private static boolean isOfSuper(JavaCodeUnitAccess<?> access, JavaMethod method, List<JavaClass> types) {
		JavaClass owner = access.getTargetOwner();
		JavaClass caller = access.getOriginOwner();
		return types.contains(caller)
				&& (caller.getRawSuperclass().filter(owner::equals).isPresent()
						|| caller.getRawInterfaces().contains(owner))
				&& !method.getModifiers().contains(JavaModifier.ABSTRACT) && mayRun(access, types)
				&& !hasAnother(access.getOrigin(), owner);
	}

	private static boolean hasAnother(JavaCodeUnit caller, JavaClass type) {
		return Stream
			.of(caller.getRawParameterTypes().stream(),
					caller.getFieldAccesses().stream().map((access) -> access.getTarget().getRawType()),
					caller.getMethodCallsFromSelf().stream().map((call) -> call.getTarget().getRawReturnType()),
					caller.getConstructorCallsFromSelf().stream().map(JavaCall::getTargetOwner))
			.flatMap(Function.identity())
			.anyMatch((given) -> given.isAssignableTo(type.getFullName()));
	}

	private static boolean mayRun(JavaCodeUnitAccess<?> access, List<JavaClass> types) {
		JavaCodeUnit caller = access.getOrigin();
		Set<JavaModifier> modifiers = caller.getModifiers();
		// A static method of the compiler's has the object of who calls it
		return !modifiers.contains(JavaModifier.BRIDGE)
				&& (!modifiers.contains(JavaModifier.STATIC) || modifiers.contains(JavaModifier.SYNTHETIC))
				&& !isContinuation(access.getOriginOwner()) && !isRecursive(caller, access)
				&& (!(caller instanceof JavaMethod method) || !(isReplaced(method, types) || isOnProxy(method, types)));
	}

	// A proxy of a subclass has no method of its own for a final one, which so runs on it
	private static boolean isOnProxy(JavaMethod method, List<JavaClass> types) {
		Set<JavaModifier> modifiers = method.getModifiers();
		return types.contains(method.getOwner()) && modifiers.contains(JavaModifier.FINAL)
				&& !modifiers.contains(JavaModifier.PRIVATE) && !modifiers.contains(JavaModifier.STATIC)
				&& !mayBeOfContainer(method, types)
				&& method.getAccessesToSelf().stream().noneMatch((access) -> types.contains(access.getOriginOwner()));
	}

	// The container calls it on the bean itself, before there is a proxy or at its end
	private static boolean mayBeOfContainer(JavaMethod method, List<JavaClass> types) {
		return !method.getAnnotations().isEmpty() || types.stream()
			.flatMap((type) -> type.getAllRawInterfaces().stream())
			.filter((type) -> OF_CONTAINER.stream().anyMatch(type::isAssignableTo))
			.flatMap((type) -> type.getMethods().stream())
			.anyMatch((declared) -> declared.getName().equals(method.getName())
					&& declared.getRawParameterTypes().equals(method.getRawParameterTypes()));
	}

	private static boolean isRecursive(JavaCodeUnit caller, JavaCodeUnitAccess<?> access) {
		List<JavaClass> called = access.getTarget().getRawParameterTypes();
		List<JavaClass> given = caller.getRawParameterTypes();
		return isCodeOfFunction(caller) ? caller.getName().equals(access.getName() + SUSPENDING)
				&& given.subList(1, given.size()).equals(called) : isLike(caller, access.getName(), called);
	}

	private static boolean isLike(JavaCodeUnit one, String name, List<JavaClass> parameters) {
		return one.getName().equals(name) && one.getRawParameterTypes().equals(parameters);
	}

	// Overridden, and not called by what overrides it
	private static boolean isReplaced(JavaMethod method, List<JavaClass> types) {
		return !method.getModifiers().contains(JavaModifier.PRIVATE) && types.contains(method.getOwner())
				&& types.stream()
					.flatMap((some) -> some.getMethods().stream())
					.filter((other) -> isLike(other, method.getName(), method.getRawParameterTypes()))
					.findFirst()
					.filter((nearest) -> !nearest.equals(method))
					.isPresent()
				&& method.getCallsOfSelf()
					.stream()
					.noneMatch((call) -> types.contains(call.getOriginOwner())
							&& !call.getOriginOwner().equals(call.getTargetOwner()));
	}

	private static boolean isLocked(List<JavaClass> types, JavaMethod method) {
		List<JavaMethod> declared = types.stream()
			.flatMap((some) -> some.getMethods().stream())
			.filter((other) -> isLike(other, method.getName(), method.getRawParameterTypes()))
			.toList();
		return declared.stream().anyMatch(LockRules::isAnnotated)
				|| (declared.stream().noneMatch((one) -> one.getOwner().isEquivalentTo(Object.class))
						&& declared.stream().anyMatch((one) -> isLockedByItsType(one, types)));
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

	private static boolean hasLocks(JavaClass type) {
		return Stream.concat(Stream.of(type), type.getMethods().stream()).anyMatch(LockRules::isAnnotated);
	}

	private static boolean isAnnotated(CanBeAnnotated element) {
		return Stream.of(DistributedLock.class, DistributedLock.List.class)
			.anyMatch((type) -> element.isAnnotatedWith(type) || element.isMetaAnnotatedWith(type));
	}

}
