package io.github.zklock.aop;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.expression.Expression;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.support.ReflectivePropertyAccessor;
import org.springframework.util.ClassUtils;

/**
 * Finds the properties and methods in an expression that the declared types of the
 * arguments do not have. An object may be of a subclass that has them: then it is a doubt
 * only.
 */
final class DeclaredTypes {

	private static final Accessor ACCESSOR = new Accessor();

	private final Map<String, Integer> positions;

	private final LockSite site;

	/**
	 * Creates a check.
	 * @param site the method whose arguments are used
	 * @param positions the positions of the arguments by their names
	 */
	DeclaredTypes(LockSite site, Map<String, Integer> positions) {
		this.site = site;
		this.positions = positions;
	}

	/**
	 * Looks for what is missing.
	 * @param expression the expression
	 * @return the first that is, or null
	 */
	@Nullable Missing missing(Expression expression) {
		if (expression instanceof CompositeStringExpression composite) {
			return Arrays.stream(composite.getExpressions())
				.map(this::missing)
				.filter(Objects::nonNull)
				.findFirst()
				.orElse(null);
		}
		return (expression instanceof SpelExpression spel) ? missing(spel.getAST()) : null;
	}

	private @Nullable Missing missing(SpelNode node) {
		if (node instanceof CompoundExpression) {
			ResolvableType type = type(node.getChild(0));
			for (int i = 1; type != null && i < node.getChildCount(); i++) {
				Missing found = missing(type, node.getChild(i));
				if (found != null) {
					return found;
				}
				type = next(type, node.getChild(i));
			}
		}
		for (int i = 0; i < node.getChildCount(); i++) {
			Missing found = missing(node.getChild(i));
			if (found != null) {
				return found;
			}
		}
		return null;
	}

	/**
	 * Looks whether a condition can be a boolean.
	 * @param expression the condition
	 * @return why it cannot, or null if it may
	 */
	@Nullable Missing notBoolean(Expression expression) {
		SpelNode node = (expression instanceof SpelExpression spel) ? spel.getAST() : null;
		Class<?> type = (node != null) ? resultType(node) : null;
		if (type == null || ClassUtils.isAssignable(type, Boolean.class) || type == String.class) {
			return null;
		}
		return new Missing("gives %s, which is no boolean".formatted(named(type)), "can be converted to one",
				isFinal(type));
	}

	private @Nullable Class<?> resultType(SpelNode node) {
		if (node instanceof Literal literal) {
			Object value = literal.getLiteralValue().getValue();
			return (value != null) ? value.getClass() : null;
		}
		ResolvableType type = type(node);
		if (node instanceof CompoundExpression) {
			type = type(node.getChild(0));
			for (int i = 1; type != null && i < node.getChildCount(); i++) {
				type = next(type, node.getChild(i));
			}
		}
		return (type != null) ? type.resolve() : null;
	}

	private @Nullable ResolvableType type(SpelNode node) {
		if (!(node instanceof VariableReference)) {
			return null;
		}
		Integer position = this.positions.get(node.toStringAST().substring(1));
		return (position != null) ? ResolvableType.forMethodParameter(new MethodParameter(this.site.method(), position),
				ResolvableType.forClass(this.site.targetClass())) : null;
	}

	private static @Nullable Missing missing(ResolvableType type, SpelNode node) {
		Class<?> owner = known(type);
		if (owner == null) {
			return null;
		}
		String text = null;
		if (node instanceof PropertyOrFieldReference property && !property.isNullSafe()
				&& ACCESSOR.find(property.getName(), owner) == null) {
			text = "the property '%s'".formatted(property.getName());
		}
		else if (node instanceof MethodReference method && !method.isNullSafe()
				&& !hasMethod(owner, method.getName())) {
			text = "the method '%s'".formatted(method.getName());
		}
		return (text != null) ? new Missing("uses %s, which %s does not have".formatted(text, named(owner)),
				"is of a subclass that has it", isFinal(owner)) : null;
	}

	private static boolean hasMethod(Class<?> type, String name) {
		return Stream.of(type.getMethods(), Object.class.getMethods())
			.flatMap(Arrays::stream)
			.anyMatch((method) -> method.getName().equals(name));
	}

	private static @Nullable ResolvableType next(ResolvableType type, SpelNode node) {
		Class<?> owner = known(type);
		if (owner == null || !(node instanceof PropertyOrFieldReference property)) {
			return null;
		}
		return ACCESSOR.find(property.getName(), owner);
	}

	// Of a type variable, of Object and of what is asked by name nothing is known; a
	// class has the static members of the type that it is
	private static @Nullable Class<?> known(ResolvableType type) {
		Class<?> known = type.resolve();
		boolean unknown = known == null || known == Object.class || known == Class.class || known == Optional.class
				|| known.isArray() || known.isPrimitive() || Map.class.isAssignableFrom(known);
		return unknown ? null : known;
	}

	private static boolean isFinal(Class<?> type) {
		return type.isPrimitive() || Modifier.isFinal(type.getModifiers());
	}

	private static String named(Class<?> type) {
		return ClassUtils.getShortName(type);
	}

	/** Finds properties as expressions do. */
	private static final class Accessor extends ReflectivePropertyAccessor {

		@Nullable ResolvableType find(String name, Class<?> type) {
			Method getter = findGetterForProperty(name, type, false);
			// An interface does not list the methods of Object
			if (getter == null && type.isInterface()) {
				getter = findGetterForProperty(name, Object.class, false);
			}
			if (getter != null) {
				return ResolvableType.forMethodReturnType(getter, type);
			}
			Field field = findField(name, type, false);
			return (field != null) ? ResolvableType.forField(field, type) : null;
		}

	}

	/**
	 * Something that is missing.
	 *
	 * @param problem completes "the value"
	 * @param remedy completes "calls fail unless the object"
	 * @param certain whether no object can have it
	 */
	record Missing(String problem, String remedy, boolean certain) {

	}

}
