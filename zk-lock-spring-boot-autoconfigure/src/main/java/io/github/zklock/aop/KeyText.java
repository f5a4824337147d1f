package io.github.zklock.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
	PARTS;

	private static final int DEEPEST = 5;

	private static final Pattern OF_OBJECT = Pattern.compile("[^@\\s]+@[0-9a-f]{1,8}");

	private static final ClassValue<KeyText> OF_CLASS = new ClassValue<>() {

		@Override
		protected KeyText computeValue(Class<?> type) {
			Class<?> written = type;
			while (isGenerated(written)) {
				written = written.getSuperclass();
			}
			Method toString = ReflectionUtils.findMethod(written, "toString");
			boolean own = toString != null && toString.getDeclaringClass() != Object.class;
			if (!own && written == type) {
				return NONE;
			}
			if (hasParts(type)) {
				return PARTS;
			}
			return own ? OWN : PROXY;
		}

	};

	private static boolean hasParts(Class<?> type) {
		return type.isRecord() || type == Optional.class || Map.class.isAssignableFrom(type)
				|| Map.Entry.class.isAssignableFrom(type) || Collection.class.isAssignableFrom(type);
	}

	// A compiler writes down in which class it has nested one
	private static boolean isGenerated(Class<?> type) {
		Class<?> parent = type.getSuperclass();
		return parent != null && (Proxy.isProxyClass(type) || type.getName().contains("$$")
				|| (type.getName().startsWith(parent.getName() + "$") && type.getEnclosingClass() == null));
	}

	/**
	 * Looks for what makes a text differ in every JVM.
	 * @param value an object
	 * @param text its text
	 * @return the name of the class that has no text of its own; null if there is none
	 */
	static @Nullable String textless(Object value, String text) {
		return textless(value, text, 0);
	}

	private static @Nullable String textless(Object value, String text, int depth) {
		return switch (OF_CLASS.get(value.getClass())) {
			case OWN -> null;
			case NONE -> in(text, value.getClass().getName());
			case PROXY -> behind(value, text);
			case PARTS -> (depth < DEEPEST && text.indexOf('@') >= 0) ? ofParts(value, text, depth + 1) : null;
		};
	}

	// Whether there is a class of that name is not asked: the text may be a user's
	private static @Nullable String behind(Object proxy, String text) {
		KeyText target = OF_CLASS.get(AopProxyUtils.ultimateTargetClass(proxy));
		String shown = proxy.toString();
		boolean textless = (target == NONE || target == PROXY) && OF_OBJECT.matcher(shown).matches();
		return textless ? in(text, shown.substring(0, shown.indexOf('@'))) : null;
	}

	private static @Nullable String in(String text, String name) {
		return text.contains(name + "@") ? name : null;
	}

	// What cannot be looked into is taken for what it seems to be
	private static @Nullable String ofParts(Object value, String text, int depth) {
		try {
			for (Object part : parts(value)) {
				String found = (part != null) ? textless(part, text, depth) : null;
				if (found != null) {
					return found;
				}
			}
		}
		catch (RuntimeException ex) {
			return null;
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
		try {
			for (RecordComponent component : value.getClass().getRecordComponents()) {
				Method accessor = component.getAccessor();
				accessor.setAccessible(true);
				components.add(accessor.invoke(value));
			}
		}
		catch (ReflectiveOperationException | RuntimeException | LinkageError ex) {
			return components;
		}
		return components;
	}

}
