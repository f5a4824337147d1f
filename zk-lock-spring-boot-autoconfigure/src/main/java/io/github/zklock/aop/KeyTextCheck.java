package io.github.zklock.aop;

import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;

/**
 * Looks for what makes the text of a key differ between JVMs, in the object that has the
 * text and in its parts.
 */
final class KeyTextCheck {

	private static final Pattern OF_OBJECT = Pattern.compile("[^@\\s]+@[0-9a-f]{1,8}");

	private static final ClassValue<List<Method>> ACCESSORS = new ClassValue<>() {

		@Override
		protected List<Method> computeValue(Class<?> record) {
			return Arrays.stream(record.getRecordComponents())
				.map(RecordComponent::getAccessor)
				.filter(Method::trySetAccessible)
				.toList();
		}

	};

	private final String text;

	// A text shows no more parts than it has characters
	private int left;

	// Most objects have no parts
	private final Deque<Object> waiting = new ArrayDeque<>(0);

	private KeyTextCheck(String text) {
		this.text = text;
		this.left = text.length();
	}

	/**
	 * Checks a text.
	 * @param value an object
	 * @param text its text
	 * @return what is wrong with it, to complete "the key"; null if nothing is
	 */
	static @Nullable String problem(Object value, String text) {
		return new KeyTextCheck(text).first(value);
	}

	private @Nullable String first(Object value) {
		String found = problem(value);
		for (Object part = this.waiting.poll(); found == null && part != null; part = this.waiting.poll()) {
			found = problem(part);
		}
		return found;
	}

	// What cannot be looked into, because its own code fails, is taken for what it seems
	// to be
	private @Nullable String problem(Object value) {
		try {
			return switch (KeyText.of(value.getClass())) {
				case OWN -> null;
				case NONE -> textless(value.getClass().getName());
				case PROXY -> behind(value);
				case PARTS -> inParts(value);
				case UNORDERED -> unordered(value);
				case ZONED -> this.text.contains(value.toString())
						? "gave a %s, whose text depends on the time zone of the JVM; write its instant, as in #date.toInstant()"
							.formatted(value.getClass().getName())
						: null;
			};
		}
		catch (OutOfMemoryError ex) {
			throw ex;
		}
		catch (Throwable ex) {
			return null;
		}
	}

	// Whether there is a class of that name is not asked: the text may be a user's
	private @Nullable String behind(Object proxy) {
		KeyText target = KeyText.of(AopProxyUtils.ultimateTargetClass(proxy));
		String shown = proxy.toString();
		boolean textless = (target == KeyText.NONE || target == KeyText.PROXY) && OF_OBJECT.matcher(shown).matches();
		return textless ? textless(shown.substring(0, shown.indexOf('@'))) : null;
	}

	private @Nullable String textless(String name) {
		return this.text.contains(name + "@")
				? "gave an object of class %s, which has no toString of its own, so that its text differs in every JVM"
					.formatted(name)
				: null;
	}

	private @Nullable String unordered(Object value) {
		int size = (value instanceof Map<?, ?> map) ? map.size() : ((Collection<?>) value).size();
		// With brackets, a comma and a space it has two characters for each
		if (size > 1 && size <= this.text.length() / 2 && this.text.contains(value.toString())) {
			return "gave a %s of %d elements, whose order in the text may differ between JVMs; write a list, or a sorted set or map"
				.formatted(value.getClass().getName(), size);
		}
		return inParts(value);
	}

	// All parts of one object come before what is in one of them
	private @Nullable String inParts(Object value) {
		for (Object part : parts(value)) {
			if (this.left == 0) {
				break;
			}
			this.left--;
			if (part != null) {
				this.waiting.add(part);
			}
		}
		return null;
	}

	private static Collection<?> parts(Object value) {
		if (value instanceof Collection<?> elements) {
			return elements;
		}
		if (value instanceof Map<?, ?> map) {
			return map.entrySet();
		}
		if (value instanceof Map.Entry<?, ?> entry) {
			return Arrays.asList(entry.getKey(), entry.getValue());
		}
		return (value instanceof Optional<?> optional) ? optional.stream().toList() : components(value);
	}

	private static Collection<?> components(Object value) {
		List<@Nullable Object> components = new ArrayList<>();
		for (Method accessor : ACCESSORS.get(value.getClass())) {
			try {
				components.add(accessor.invoke(value));
			}
			catch (ReflectiveOperationException ex) {
				components.add(null);
			}
		}
		return components;
	}

}
