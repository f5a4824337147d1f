package io.github.zklock.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Collection;
import java.util.Date;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Whose text an object has, by its class.
 */
enum KeyText {

	/** Its own. */
	OWN,

	/** That of {@link Object}. */
	NONE,

	/** That of an object behind it, as its text shows. */
	PROXY,

	/** Its own, with those of its parts. */
	PARTS,

	/** Its own, with those of its parts in an order that the JVM chooses. */
	UNORDERED,

	/** Its own, in the time zone of the JVM. */
	ZONED;

	private static final int DEEPEST = 5;

	private static final List<Class<?>> HASHED = List.of(HashSet.class, HashMap.class, Hashtable.class,
			ConcurrentHashMap.class, IdentityHashMap.class, WeakHashMap.class);

	private static final List<Class<?>> LINKED = List.of(LinkedHashSet.class, LinkedHashMap.class);

	private static final Pattern OF_OBJECT = Pattern.compile("[^@\\s]+@[0-9a-f]{1,8}");

	private static final ClassValue<KeyText> OF_CLASS = new ClassValue<>() {

		@Override
		protected KeyText computeValue(Class<?> type) {
			Class<?> written = type;
			while (isGenerated(written)) {
				written = written.getSuperclass();
			}
			Method toString = ReflectionUtils.findMethod(written, "toString");
			Class<?> writer = (toString != null) ? toString.getDeclaringClass() : Object.class;
			boolean own = writer != Object.class;
			if (!own && written == type) {
				return NONE;
			}
			if (hasParts(type)) {
				return (writer.getName().startsWith("java.") && isUnordered(type)) ? UNORDERED : PARTS;
			}
			if (type == Date.class || Calendar.class.isAssignableFrom(type)) {
				return ZONED;
			}
			return own ? OWN : PROXY;
		}

	};

	private static final ClassValue<List<Method>> ACCESSORS = new ClassValue<>() {

		@Override
		protected List<Method> computeValue(Class<?> record) {
			return Arrays.stream(record.getRecordComponents())
				.map(RecordComponent::getAccessor)
				.filter(Method::trySetAccessible)
				.toList();
		}

	};

	private static boolean hasParts(Class<?> type) {
		return (type.isRecord() && !hasOnlySimpleParts(type)) || type == Optional.class
				|| Map.class.isAssignableFrom(type) || Map.Entry.class.isAssignableFrom(type)
				|| Collection.class.isAssignableFrom(type);
	}

	// Those of most records, which are not looked into at each call then. Whether one
	// inside is as simple is not asked, because a type may have itself inside
	private static boolean hasOnlySimpleParts(Class<?> record) {
		return Arrays.stream(record.getRecordComponents())
			.map(RecordComponent::getType)
			.allMatch((part) -> part.isPrimitive() || part.isEnum()
					|| (Modifier.isFinal(part.getModifiers()) && !part.isRecord() && OF_CLASS.get(part) == OWN));
	}

	// A set or map, or a view of one, of which it is known; others may have an order
	private static boolean isUnordered(Class<?> type) {
		if (List.class.isAssignableFrom(type) || Map.Entry.class.isAssignableFrom(type)) {
			return false;
		}
		boolean hashed = HASHED.stream()
			.anyMatch((one) -> one.isAssignableFrom(type) || one == type.getEnclosingClass());
		return (hashed && LINKED.stream().noneMatch((one) -> one.isAssignableFrom(type)))
				|| type.getName().startsWith("java.util.ImmutableCollections$");
	}

	// A compiler writes down in which class it has nested one
	private static boolean isGenerated(Class<?> type) {
		Class<?> parent = type.getSuperclass();
		return parent != null && (Proxy.isProxyClass(type) || type.getName().contains("$$")
				|| (type.getName().startsWith(parent.getName() + "$") && type.getEnclosingClass() == null));
	}

	/**
	 * Looks for what makes a text differ between JVMs.
	 * @param value an object
	 * @param text its text
	 * @return what is wrong with it, to complete "the key"; null if nothing is
	 */
	static @Nullable String problem(Object value, String text) {
		return problem(value, text, 0);
	}

	// What cannot be looked into is taken for what it seems to be
	private static @Nullable String problem(Object value, String text, int depth) {
		try {
			return switch (OF_CLASS.get(value.getClass())) {
				case OWN -> null;
				case NONE -> textless(text, value.getClass().getName());
				case PROXY -> behind(value, text);
				case PARTS -> ofParts(value, text, depth);
				case UNORDERED -> ofUnordered(value, text, depth);
				case ZONED -> text.contains(value.toString())
						? "gave a %s, whose text depends on the time zone of the JVM; write its instant, as in #date.toInstant()"
							.formatted(value.getClass().getName())
						: null;
			};
		}
		catch (RuntimeException | StackOverflowError | LinkageError ex) {
			return null;
		}
	}

	// Whether there is a class of that name is not asked: the text may be a user's
	private static @Nullable String behind(Object proxy, String text) {
		KeyText target = OF_CLASS.get(AopProxyUtils.ultimateTargetClass(proxy));
		String shown = proxy.toString();
		boolean textless = (target == NONE || target == PROXY) && OF_OBJECT.matcher(shown).matches();
		return textless ? textless(text, shown.substring(0, shown.indexOf('@'))) : null;
	}

	private static @Nullable String textless(String text, String name) {
		return text.contains(name + "@")
				? "gave an object of class %s, which has no toString of its own, so that its text differs in every JVM"
					.formatted(name)
				: null;
	}

	// A text shows no more parts than it has characters
	private static @Nullable String ofParts(Object value, String text, int depth) {
		if (depth == DEEPEST) {
			return null;
		}
		int looked = 0;
		for (Object part : parts(value)) {
			String found = (part != null) ? problem(part, text, depth + 1) : null;
			if (found != null || ++looked >= text.length()) {
				return found;
			}
		}
		return null;
	}

	private static @Nullable String ofUnordered(Object value, String text, int depth) {
		int size = (value instanceof Map<?, ?> map) ? map.size() : ((Collection<?>) value).size();
		// With brackets, a comma and a space it has two characters for each
		if (size > 1 && size <= text.length() / 2 && text.contains(value.toString())) {
			return "gave a %s of %d elements, whose order in the text may differ between JVMs; write a list, or a sorted set or map"
				.formatted(value.getClass().getName(), size);
		}
		return ofParts(value, text, depth);
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
