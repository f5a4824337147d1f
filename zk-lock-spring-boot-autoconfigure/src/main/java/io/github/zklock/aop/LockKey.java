package io.github.zklock.aop;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.Expression;
import org.springframework.expression.ExpressionException;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.util.ObjectUtils;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;

/**
 * One text of the key attribute: a literal, or an expression that gives a key or several.
 *
 * @param site the method, for messages
 * @param text what is written there, without placeholders
 * @param mode in which mode its keys are taken
 * @param permits how many may hold each of its keys together; 0 for locks
 * @param expression how it is evaluated, or null if the text is the key
 */
record LockKey(LockSite site, String text, LockMode mode, int permits, @Nullable Expression expression) {

	static LockKey parse(LockSite site, String text, LockMode mode, int permits, LockExpressions expressions) {
		if (text.contains("#{")) {
			return new LockKey(site, text, mode, permits, expressions.parseTemplate(text));
		}
		boolean evaluated = text.chars().anyMatch((c) -> c == '#' || c == '\'' || c == '(' || c == '@');
		return new LockKey(site, text, mode, permits, evaluated ? expressions.parse(text) : null);
	}

	/**
	 * Reads how many may hold the keys.
	 * @param site the method, for messages
	 * @param annotation the annotation that gives the keys
	 * @param job whether the method is a job, which runs once at a time
	 * @return the number; 0 for locks
	 * @throws InvalidLockDefinitionException if it cannot be
	 */
	static int permits(LockSite site, MergedAnnotation<DistributedLock> annotation, boolean job) {
		int permits = annotation.getInt("permits");
		String written = Integer.toString(permits);
		LockMode mode = annotation.getEnum("mode", LockMode.class);
		if (permits < 0 || permits > LockRequest.MAX_PERMITS) {
			throw site.invalid("permits", written, "is out of bounds",
					"Write from 1 to %d, or leave it out for a lock.".formatted(LockRequest.MAX_PERMITS));
		}
		if (permits > 0 && mode != LockMode.EXCLUSIVE) {
			throw site.invalid("permits", written, "is there with mode %s, but a permit has no mode".formatted(mode),
					"Write one of them.");
		}
		if (permits > 0 && job) {
			throw site.invalid("permits", written, "is there for a job, which runs once at a time", "Leave it out.");
		}
		return permits;
	}

	boolean isLikewise(LockKey other) {
		return this.mode == other.mode && this.permits == other.permits;
	}

	/**
	 * Asks for keys as the text says.
	 * @param values at least one key
	 * @return the request
	 * @throws IllegalArgumentException if one is a bad key
	 */
	LockRequest request(List<String> values) {
		if (this.permits == 0) {
			return LockRequest.keys(values).mode(this.mode);
		}
		return values.stream()
			.map((value) -> LockRequest.permits(value, this.permits))
			.reduce(LockRequest::and)
			.orElseThrow();
	}

	/**
	 * Adds the keys that the text gives for one call.
	 * @param keys where to add them
	 * @param context the call; not asked if the text is a literal
	 * @throws IllegalArgumentException if it gives none, or something that is none
	 */
	void addTo(Collection<String> keys, EvaluationContext context) {
		if (this.expression == null) {
			keys.add(this.text);
		}
		else if (this.expression instanceof CompositeStringExpression composite) {
			keys.add(notBlank(join(composite.getExpressions(), context)));
		}
		else {
			addAll(keys, value(this.expression, context));
		}
	}

	private String join(Expression[] parts, EvaluationContext context) {
		StringBuilder joined = new StringBuilder();
		for (Expression part : parts) {
			Object value = value(part, context);
			if (value instanceof Collection<?> || ObjectUtils.isArray(value)) {
				throw bad(
						"gives several values in the middle of a text; write #ids.!['order-' + #this] for several keys");
			}
			joined.append(text(value));
		}
		return joined.toString();
	}

	private void addAll(Collection<String> keys, @Nullable Object value) {
		Collection<?> values = several(value);
		if (values == null) {
			keys.add(notBlank(text(value)));
			return;
		}
		if (values.isEmpty()) {
			throw bad("gave no key, because the collection is empty");
		}
		for (Object element : values) {
			addAll(keys, element);
		}
	}

	private static @Nullable Collection<?> several(@Nullable Object value) {
		if (value instanceof Collection<?> collection) {
			return collection;
		}
		return ObjectUtils.isArray(value) ? Arrays.asList(ObjectUtils.toObjectArray(value)) : null;
	}

	private @Nullable Object value(Expression part, EvaluationContext context) {
		try {
			return part.getValue(context);
		}
		catch (ExpressionException ex) {
			throw new IllegalArgumentException(message("could not be evaluated: " + ex.getMessage()), ex);
		}
	}

	private String text(@Nullable Object value) {
		if (value instanceof String written) {
			return written;
		}
		Object present = present(value);
		if (present == null) {
			throw bad("gave null");
		}
		if (present instanceof Enum<?> constant) {
			return constant.name();
		}
		String text = present.toString();
		// A user's toString may return null all the same
		String problem = (text != null) ? KeyTextCheck.problem(present, text)
				: "gave an object of class %s, whose text is null".formatted(present.getClass().getName());
		if (problem != null) {
			throw bad(problem);
		}
		return text;
	}

	private static @Nullable Object present(@Nullable Object value) {
		if (value instanceof Optional<?> optional) {
			return optional.orElse(null);
		}
		if (value instanceof OptionalInt number) {
			return number.isPresent() ? number.getAsInt() : null;
		}
		if (value instanceof OptionalLong number) {
			return number.isPresent() ? number.getAsLong() : null;
		}
		if (value instanceof OptionalDouble number) {
			return number.isPresent() ? number.getAsDouble() : null;
		}
		return value;
	}

	private String notBlank(String key) {
		if (key.isBlank()) {
			throw bad("gave blank text");
		}
		return key;
	}

	private IllegalArgumentException bad(String problem) {
		return new IllegalArgumentException(message(problem));
	}

	private String message(String problem) {
		return "The lock key '%s' of %s %s".formatted(this.text, this.site, problem);
	}

}
