package io.github.zklock.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
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
import java.util.stream.Stream;

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

	private static final List<Class<?>> HASHED = List.of(HashSet.class, HashMap.class, Hashtable.class,
			ConcurrentHashMap.class, IdentityHashMap.class, WeakHashMap.class);

	private static final List<Class<?>> LINKED = List.of(LinkedHashSet.class, LinkedHashMap.class);

	// Their names, because a class of the JDK that had one of ours as its value would
	// keep our class loader
	private static final ClassValue<String> OF_CLASS = new ClassValue<>() {

		@Override
		protected String computeValue(Class<?> type) {
			return find(type).name();
		}

	};

	/**
	 * Returns whose text the objects of a class have.
	 * @param type the class
	 * @return what is known of it
	 */
	static KeyText of(Class<?> type) {
		return valueOf(OF_CLASS.get(type));
	}

	private static KeyText find(Class<?> type) {
		Class<?> written = type;
		while (isGenerated(written)) {
			written = written.getSuperclass();
		}
		boolean own = writer(written, "toString") != Object.class;
		if (!own && written == type) {
			return NONE;
		}
		if (hasParts(type)) {
			return isUnordered(type) ? UNORDERED : PARTS;
		}
		if (type == Date.class || Calendar.class.isAssignableFrom(type)) {
			return ZONED;
		}
		return own ? OWN : PROXY;
	}

	private static Class<?> writer(Class<?> type, String method) {
		Method found = ReflectionUtils.findMethod(type, method);
		return (found != null) ? found.getDeclaringClass() : Object.class;
	}

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
					|| (Modifier.isFinal(part.getModifiers()) && !part.isRecord() && of(part) == OWN));
	}

	// A set or map, or a view of one, of which it is known; others may have an order, and
	// so may what has an iteration or a text of its own
	private static boolean isUnordered(Class<?> type) {
		if (List.class.isAssignableFrom(type) || Map.Entry.class.isAssignableFrom(type)
				|| Stream.of("toString", "iterator", "entrySet")
					.anyMatch((method) -> !writer(type, method).getName().startsWith("java."))) {
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

}
