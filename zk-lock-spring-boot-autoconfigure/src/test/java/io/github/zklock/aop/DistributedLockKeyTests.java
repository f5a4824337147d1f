package io.github.zklock.aop;

import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Date;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.GregorianCalendar;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.cglib.proxy.Enhancer;
import org.springframework.cglib.proxy.MethodInterceptor;
import org.springframework.core.OverridingClassLoader;
import org.springframework.util.LinkedCaseInsensitiveMap;
import org.springframework.util.LinkedMultiValueMap;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockMode;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * What the key attribute promises.
 */
class DistributedLockKeyTests {

	private final LockedBeans beans = LockedBeans.of(Map.of("shop.region", "eu", "shop.template", "shop-#{#id}"),
			Keys.class, Naming.class);

	private final Keys keys = this.beans.get(Keys.class);

	@AfterEach
	void closeContext() {
		this.beans.close();
	}

	private List<String> keysOf(Runnable call) {
		this.beans.client().requests().clear();
		call.run();
		assertThat(this.beans.client().requests()).hasSize(1);
		return this.beans.client().lastRequest().keys();
	}

	@Test
	void withoutKeyIsTypeAndMethod() {
		assertThat(keysOf(this.keys::none)).containsExactly("io.github.zklock.aop.DistributedLockKeyTests$Keys.none");
	}

	@Test
	void emptyTextIsTypeAndMethod() {
		assertThat(keysOf(this.keys::empty)).containsExactly("io.github.zklock.aop.DistributedLockKeyTests$Keys.empty");
	}

	@Test
	void typesAreThoseOfTheApplicationWhateverThreadCallsFirst() {
		ClassLoader known = Thread.currentThread().getContextClassLoader();
		Thread.currentThread().setContextClassLoader(ClassLoader.getPlatformClassLoader());
		try {
			assertThat(keysOf(this.keys::constant)).containsExactly("constant");
		}
		finally {
			Thread.currentThread().setContextClassLoader(known);
		}
		assertThat(keysOf(this.keys::constant)).containsExactly("constant");
	}

	@Test
	void plainTextIsLiteral() {
		assertThat(keysOf(this.keys::literal)).containsExactly("orders/all.today");
	}

	@Test
	void valueIsAnAliasOfKey() {
		assertThat(keysOf(this.keys::alias)).containsExactly("by-value");
	}

	@Test
	void placeholdersAreResolvedFirst() {
		assertThat(keysOf(this.keys::placeholder)).containsExactly("orders-eu");
		assertThat(keysOf(() -> this.keys.placeholderWithTemplate(7))).containsExactly("shop-7");
	}

	@Test
	void templateMixesTextAndExpressions() {
		assertThat(keysOf(() -> this.keys.template("a", 1))).containsExactly("order-a/1");
	}

	@Test
	void expressionSeesArgumentsByNameAndPosition() {
		assertThat(keysOf(() -> this.keys.byName(new Order("o1")))).containsExactly("o1");
		assertThat(keysOf(() -> this.keys.byPosition("x", "y"))).containsExactly("yx");
	}

	@Test
	void expressionSeesMethodTargetAndArguments() {
		assertThat(keysOf(() -> this.keys.root("a", "b"))).containsExactly("root:the keys:b");
	}

	@Test
	void expressionSeesBeans() {
		assertThat(keysOf(() -> this.keys.bean("a"))).containsExactly("named-a");
	}

	@Test
	void quotedTextIsAnExpression() {
		assertThat(keysOf(() -> this.keys.quoted("a"))).containsExactly("order#a");
	}

	@Test
	void typesAreReachedThroughExpressions() {
		assertThat(keysOf(() -> this.keys.type(3))).containsExactly("3");
	}

	@Test
	void collectionGivesAllItsElements() {
		assertThat(keysOf(() -> this.keys.collection(List.of("a", "b", "a")))).containsExactly("a", "b");
		assertThat(keysOf(() -> this.keys.array(3, 4))).containsExactly("3", "4");
		assertThat(keysOf(() -> this.keys.projected(Set.of(new Order("o1"))))).containsExactly("order-o1");
	}

	@Test
	void severalKeysAreTakenTogether() {
		assertThat(keysOf(() -> this.keys.several("a", "b"))).containsExactly("from-a", "b", "all");
	}

	@Test
	void keysOfOtherTypesAreWrittenAsText() {
		UUID id = UUID.randomUUID();
		assertThat(keysOf(() -> this.keys.any(id))).containsExactly(id.toString());
		assertThat(keysOf(() -> this.keys.any(LockMode.READ))).containsExactly("READ");
		assertThat(keysOf(() -> this.keys.any(Shown.OPEN))).containsExactly("OPEN");
		assertThat(keysOf(() -> this.keys.any(Optional.of(5L)))).containsExactly("5");
		assertThat(keysOf(() -> this.keys.any(OptionalInt.of(6)))).containsExactly("6");
		assertThat(keysOf(() -> this.keys.any(OptionalLong.of(7)))).containsExactly("7");
		assertThat(keysOf(() -> this.keys.any(OptionalDouble.of(0.5)))).containsExactly("0.5");
	}

	@Test
	void nullIsRefusedNamingMethodAndExpression() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.any(null))
			.withMessage("The lock key '#key' of %s.any(Object) gave null".formatted(Keys.class.getName()));
		for (Object empty : List.of(Optional.empty(), OptionalInt.empty(), OptionalLong.empty(),
				OptionalDouble.empty())) {
			assertThatIllegalArgumentException().isThrownBy(() -> this.keys.any(empty))
				.withMessageContaining("gave null");
		}
	}

	@Test
	void objectWhoseTextIsNullIsRefused() {
		Account account = new Account(null);
		for (Runnable call : List.<Runnable>of(() -> this.keys.any(account), () -> this.keys.any(List.of(account)),
				() -> this.keys.any(Optional.of(account)), () -> this.keys.templateOfAny(account))) {
			assertThatIllegalArgumentException().isThrownBy(call::run)
				.withMessageContaining("Keys.")
				.withMessageContaining("an object of class " + Account.class.getName() + ", whose text is null");
		}
		assertThat(keysOf(() -> this.keys.any(new Part(account)))).containsExactly("Part[value=null]");
	}

	@Test
	void nullInTheMiddleOfATemplateIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.template(null, 1))
			.withMessageContaining("template(String, int) gave null");
	}

	@Test
	void blankTextIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.any(" "))
			.withMessageContaining("'#key'")
			.withMessageContaining("gave blank text");
	}

	@Test
	void blankTextOfSeveralPartsIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.pair(" ", " "))
			.withMessageContaining("gave blank text");
		assertThat(keysOf(() -> this.keys.pair("", "b"))).containsExactly("b");
	}

	@Test
	void emptyCollectionIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.collection(List.of()))
			.withMessageContaining("the collection is empty");
	}

	@Test
	void collectionInTheMiddleOfATemplateIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.templateOfAny(List.of("a")))
			.withMessageContaining("write #ids.!['order-' + #this]");
	}

	@Test
	void objectWithoutTextOfItsOwnIsRefused() {
		Runnable lambda = () -> this.keys.none();
		for (Object textless : List.of(new Object(), lambda, new Object() {
		})) {
			assertThatIllegalArgumentException().isThrownBy(() -> this.keys.any(textless))
				.withMessageContaining("differs in every JVM");
		}
	}

	private void assertRefused(Object key) {
		assertThatIllegalArgumentException().as("%s", key.getClass())
			.isThrownBy(() -> this.keys.any(key))
			.withMessageContaining("an object of class " + Naming.class.getName() + ", which has no toString");
	}

	@Test
	void proxyOfAnObjectWithoutTextOfItsOwnIsRefused() {
		assertRefused(proxy(new Naming(), true));
		ProxyFactory byInterface = new ProxyFactory(new Named());
		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.any(byInterface.getProxy()))
			.withMessageContaining("an object of class " + Named.class.getName() + ", which has no toString");
		assertRefused(lazy(Naming.class, new Naming()));
		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.templateOfAny(proxy(new Naming(), true)))
			.withMessageContaining("an object of class " + Naming.class.getName());
	}

	@Test
	void proxyOfAnObjectWithTextOfItsOwnIsWrittenAsThat() {
		assertThat(keysOf(() -> this.keys.any(proxy(new Account(), true)))).containsExactly("account@7");
		assertThat(keysOf(() -> this.keys.any(new ProxyFactory(new Account()).getProxy())))
			.containsExactly("account@7");
		assertThat(keysOf(() -> this.keys.any(lazy(Naming.class, new Town("Ulm@Danube"))))).as("of a subclass")
			.containsExactly("Ulm@Danube");
	}

	@Test
	void noClassIsLookedForByTheTextOfAProxy() {
		List<String> asked = new ArrayList<>();
		ClassLoader loader = new ClassLoader(getClass().getClassLoader()) {
			@Override
			protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
				asked.add(name);
				return super.loadClass(name, resolve);
			}
		};
		for (String text : List.of("ann@example.org", "java.util.Scanner@Ulm")) {
			Object proxy = Proxy.newProxyInstance(loader, new Class<?>[] { Runnable.class },
					(self, method, arguments) -> text);
			assertThat(keysOf(() -> this.keys.any(proxy))).containsExactly(text);
		}
		assertThat(asked).doesNotContain("ann", "java.util.Scanner");
	}

	@Test
	void textOfAProxyThatIsLikeThatOfAnObjectIsRefused() {
		Object proxy = lazy(Naming.class, new Town("com.example.Town@1b2c"));
		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.any(proxy))
			.withMessageContaining("an object of class com.example.Town, which has no toString");
	}

	@Test
	void partWithoutTextOfItsOwnIsRefused() {
		Naming part = new Naming();
		assertRefused(new Part(part));
		assertRefused(new Part(Optional.of(new Part(Map.of("a", part)))));
		assertRefused(Map.of("a", part));
		assertRefused(Map.of(part, "a"));
		assertRefused(Map.entry("a", part));
		assertRefused(Map.of("a", List.of("b", part)));
		assertRefused(Optional.of(Optional.of(part)));
		assertRefused(new Part(proxy(part, true)));
		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.any(new Part(new int[] { 1 })))
			.withMessageContaining("an object of class [I, which has no toString");
	}

	@Test
	void partThatCannotBeLookedIntoIsWrittenAsItsText() {
		Map<String, String> closed = new AbstractMap<>() {
			@Override
			public Set<Entry<String, String>> entrySet() {
				throw new IllegalStateException("closed");
			}

			@Override
			public String toString() {
				return "map@1";
			}
		};
		assertThat(keysOf(() -> this.keys.any(closed))).containsExactly("map@1");
		assertThat(keysOf(() -> this.keys.any(new Part(closed)))).containsExactly("Part[value=map@1]");
	}

	@Test
	void partsWithTextOfTheirOwnAreWrittenAsThat() {
		assertThat(keysOf(() -> this.keys.any(new Part("ann@cafe")))).containsExactly("Part[value=ann@cafe]");
		assertThat(keysOf(() -> this.keys.any(Map.of("to", List.of("ann@cafe"))))).containsExactly("{to=[ann@cafe]}");
		assertThat(keysOf(() -> this.keys.any(new Hidden(new Naming(), "x@1")))).as("a part that the text leaves out")
			.containsExactly("x@1");
		assertThat(keysOf(() -> this.keys.any("java.lang.Object@1b2c"))).containsExactly("java.lang.Object@1b2c");
	}

	private void assertUnordered(Object key, Class<?> unordered) {
		assertThatIllegalArgumentException().as("%s", key)
			.isThrownBy(() -> this.keys.any(key))
			.withMessageContaining("any(Object) gave a " + unordered.getName() + " of 2 elements, whose order")
			.withMessageContaining("write a list, or a sorted set or map");
	}

	@Test
	void partsThatHaveNoOrderAreRefused() {
		Set<String> set = Set.of("a", "b");
		Map<String, Integer> map = Map.of("a", 1, "b", 2);
		assertUnordered(map, map.getClass());
		assertUnordered(new HashMap<>(map), HashMap.class);
		assertUnordered(Optional.of(set), set.getClass());
		assertUnordered(new Part(set), set.getClass());
		assertUnordered(new Part(List.of("c", new Part(new HashSet<>(set)))), HashSet.class);
		assertUnordered(Map.of("all", set), set.getClass());
		assertUnordered(Map.entry(set, "all"), set.getClass());
		assertUnordered(new Members(set), set.getClass());
		assertUnordered(new Part(new HashMap<>(map).keySet()), new HashMap<>().keySet().getClass());
		assertUnordered(new Part(new HashMap<>(map).values()), new HashMap<>().values().getClass());
		assertUnordered(new ConcurrentHashMap<>(map), ConcurrentHashMap.class);
		Set<String> concurrent = ConcurrentHashMap.newKeySet();
		concurrent.addAll(set);
		assertUnordered(new Part(concurrent), concurrent.getClass());
		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.templateOfAny(map))
			.withMessageContaining("of 2 elements, whose order");
	}

	@Test
	void partsThatHaveAnOrderAreWrittenAsText() {
		List<String> names = List.of("b", "a");
		assertThat(keysOf(() -> this.keys.any(new Part(names)))).containsExactly("Part[value=[b, a]]");
		assertThat(keysOf(() -> this.keys.any(new Part(new LinkedHashSet<>(names)))))
			.containsExactly("Part[value=[b, a]]");
		assertThat(keysOf(() -> this.keys.any(new Part(new CopyOnWriteArraySet<>(names)))))
			.containsExactly("Part[value=[b, a]]");
		assertThat(keysOf(() -> this.keys.any(new Members(new TreeSet<>(names)))))
			.containsExactly("Members[names=[a, b]]");
		assertThat(keysOf(() -> this.keys.any(new Part(EnumSet.of(LockMode.WRITE, LockMode.READ)))))
			.containsExactly("Part[value=[READ, WRITE]]");
		assertThat(keysOf(() -> this.keys.any(new TreeMap<>(Map.of("b", 2, "a", 1))))).containsExactly("{a=1, b=2}");
		assertThat(keysOf(() -> this.keys.any(new LinkedHashMap<>(new TreeMap<>(Map.of("b", 2, "a", 1))))))
			.containsExactly("{a=1, b=2}");
		assertThat(keysOf(() -> this.keys.any(new EnumMap<>(Map.of(LockMode.WRITE, 2, LockMode.READ, 1)))))
			.containsExactly("{READ=1, WRITE=2}");
		Map<String, Integer> linked = new LinkedHashMap<>();
		names.forEach((name) -> linked.put(name, linked.size()));
		assertThat(keysOf(() -> this.keys.any(Collections.unmodifiableMap(linked)))).containsExactly("{b=0, a=1}");
		assertThat(keysOf(() -> this.keys.any(new Part(linked.keySet())))).containsExactly("Part[value=[b, a]]");
		assertThat(keysOf(() -> this.keys.any(new Part(Collections.unmodifiableSet(linked.keySet())))))
			.containsExactly("Part[value=[b, a]]");
		Map<String, Object> row = new LinkedCaseInsensitiveMap<>();
		row.putAll(linked);
		assertThat(keysOf(() -> this.keys.any(row))).containsExactly("{b=0, a=1}");
		assertThat(keysOf(() -> this.keys.any(new LinkedMultiValueMap<>(Map.of("a", names)))))
			.containsExactly("{a=[b, a]}");
		assertThat(keysOf(() -> this.keys.any(new Titled(linked)))).as("a text of its own")
			.containsExactly("a map of 2");
		assertThat(keysOf(() -> this.keys.any(new Part(new Listed(names))))).as("an iteration of its own")
			.containsExactly("Part[value=[b, a]]");
	}

	@Test
	void partsThatCannotBeWrittenAreNotLookedInto() {
		Set<Object> circle = new HashSet<>(Set.of("a"));
		List<Object> around = new ArrayList<>();
		circle.add(new Part(around));
		around.add(List.of(around));
		assertThat(keysOf(() -> this.keys.any(new Hidden(circle, "[all] of them, whatever they are"))))
			.containsExactly("[all] of them, whatever they are");
	}

	@Test
	void hiddenPartsCostNoMoreLooksThanTheTextHasCharacters() {
		AtomicInteger looks = new AtomicInteger();
		List<Object> many = Collections.nCopies(10_000, new Counted(0, looks));
		assertThat(keysOf(() -> this.keys.any(new Hidden(many, "abc")))).containsExactly("abc");
		assertThat(looks).as("the record has two parts").hasValue(1);
		Set<Object> set = new HashSet<>();
		IntStream.range(0, 10_000).forEach((i) -> set.add(new Counted(i, looks)));
		assertThat(keysOf(() -> this.keys.any(new Hidden(set, "abc")))).containsExactly("abc");
		assertThat(looks).hasValue(2);
		assertThat(keysOf(() -> this.keys.any(new Hidden(Collections.nCopies(100, many), "a text of 22 characters"))))
			.hasSize(1);
		assertThat(looks).hasValue(2);
	}

	@Test
	void partsBesideManyHiddenOnesAreLookedInto() {
		Set<String> set = Set.of("a", "b");
		assertUnordered(new Pair(Collections.nCopies(10_000, Optional.of(List.of())), set), set.getClass());
	}

	@Test
	void partWhoseCodeFailsIsTakenForWhatItSeems() {
		Set<Object> failing = new HashSet<>();
		failing.add(new Failing());
		failing.add("a");
		assertThat(keysOf(() -> this.keys.any(new Hidden(failing, "[shown]")))).containsExactly("[shown]");
	}

	@Test
	void classesOfTheJdkKeepNoClassLoader() throws Exception {
		WeakReference<ClassLoader> loader = new WeakReference<>(checkInLoaderOfItsOwn());
		await().atMost(Actor.PATIENCE).until(() -> {
			System.gc();
			return loader.get() == null;
		});
	}

	private static ClassLoader checkInLoaderOfItsOwn() throws Exception {
		ClassLoader loader = new OverridingClassLoader(DistributedLockKeyTests.class.getClassLoader()) {

			@Override
			protected boolean isEligibleForOverriding(String name) {
				return name.startsWith(KeyText.class.getName());
			}

		};
		Method problem = loader.loadClass(KeyTextCheck.class.getName())
			.getDeclaredMethod("problem", Object.class, String.class);
		problem.setAccessible(true);
		for (Object value : List.of(UUID.randomUUID(), List.of("a"), Optional.of(Duration.ZERO))) {
			assertThat(problem.invoke(null, value, value.toString())).isNull();
		}
		assertThat(problem.getDeclaringClass()).isNotSameAs(KeyTextCheck.class);
		return loader;
	}

	@Test
	void oneElementAndPartsThatAreNotShownNeedNoOrder() {
		assertThat(keysOf(() -> this.keys.any(new Part(Set.of("a"))))).containsExactly("Part[value=[a]]");
		assertThat(keysOf(() -> this.keys.any(Map.of()))).containsExactly("{}");
		assertThat(keysOf(() -> this.keys.any(new Hidden(Set.of("a", "b"), "x")))).containsExactly("x");
		assertThat(keysOf(() -> this.keys.any(Set.of("a", "b")))).as("a key each").containsExactlyInAnyOrder("a", "b");
	}

	@Test
	@SuppressWarnings("JavaUtilDate") // users have them
	void textInTheTimeZoneOfTheJvmIsRefused() {
		Date date = new Date(0);
		for (Object zoned : List.of(date, new GregorianCalendar())) {
			for (Object key : List.of(zoned, new Part(zoned), List.of(Optional.of(zoned)))) {
				assertThatIllegalArgumentException().as("%s", key)
					.isThrownBy(() -> this.keys.any(key))
					.withMessageContaining("gave a " + zoned.getClass().getName()
							+ ", whose text depends on the time zone of the JVM; write its instant");
			}
		}
		assertThat(keysOf(() -> this.keys.any(date.toInstant()))).containsExactly("1970-01-01T00:00:00Z");
		assertThat(keysOf(() -> this.keys.any(new Hidden(date, "x")))).containsExactly("x");
	}

	@Test
	void recordThatHasItselfInsideIsWrittenAsText() {
		assertThat(keysOf(() -> this.keys.any(new Chain(1, new Chain(2, null)))))
			.containsExactly("Chain[link=1, next=Chain[link=2, next=null]]");
	}

	private static Object proxy(Object target, boolean ofClass) {
		ProxyFactory factory = new ProxyFactory(target);
		factory.setProxyTargetClass(ofClass);
		return factory.getProxy();
	}

	// As those who map objects to tables make them
	private static Object lazy(Class<?> type, Object target) {
		Enhancer enhancer = new Enhancer();
		enhancer.setSuperclass(type);
		enhancer.setUseCache(false);
		enhancer.setNamingPolicy(
				(prefix, source, key, taken) -> prefix + "$HibernateProxy$" + target.getClass().getSimpleName());
		enhancer.setCallback((MethodInterceptor) (proxy, method, arguments, call) -> method.invoke(target, arguments));
		return enhancer.create();
	}

	@Test
	void keyThatIsTooLongIsRefusedNamingTheMethod() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.any("x".repeat(1025)))
			.withMessageContaining("any(Object)")
			.withMessageContaining("1024");
	}

	@Test
	void failingExpressionNamesMethodAndExpression() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.byName(null))
			.withMessageContaining("'#order.id'")
			.withMessageContaining("byName(Order)");
	}

	@Test
	void nothingRunsWithoutKey() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.keys.any(null));
		assertThat(this.beans.client().requests()).isEmpty();
	}

	@Test
	void expressionIsEvaluatedOnceForEachCall() {
		Naming naming = this.beans.get(Naming.class);
		this.keys.bean("a");
		assertThat(naming.calls).isEqualTo(1);
	}

	@Test
	void expressionIsParsedOnce() throws Exception {
		LockedMethods methods = new LockedMethods(this.beans.context().getBeanFactory());
		Method method = Keys.class.getMethod("any", Object.class);
		assertThat(methods.get(method, Keys.class)).isSameAs(methods.get(method, Keys.class));
	}

	record Order(String id) {
	}

	record Part(Object value) {
	}

	record Members(Set<String> names) {
	}

	record Chain(int link, Chain next) {
	}

	record Hidden(Object hidden, String shown) {

		@Override
		public String toString() {
			return this.shown;
		}

	}

	record Counted(int number, AtomicInteger looks) {

		@Override
		public AtomicInteger looks() {
			this.looks.incrementAndGet();
			return this.looks;
		}

	}

	record Pair(Object first, Object second) {

		@Override
		public String toString() {
			return this.second.toString();
		}

	}

	static class Failing {

		@Override
		public String toString() {
			throw new AssertionError("planted");
		}

	}

	static class Listed extends HashSet<String> {

		private static final long serialVersionUID = 1;

		private final List<String> order;

		Listed(List<String> order) {
			super(order);
			this.order = order;
		}

		@Override
		public Iterator<String> iterator() {
			return this.order.iterator();
		}

	}

	static class Titled extends HashMap<String, Integer> {

		private static final long serialVersionUID = 1;

		Titled(Map<String, Integer> entries) {
			super(entries);
		}

		@Override
		public String toString() {
			return "a map of " + size();
		}

	}

	static class Account extends Naming implements Runnable {

		private final String text;

		Account() {
			this("account@7");
		}

		Account(String text) {
			this.text = text;
		}

		@Override
		public void run() {
			// Only for its proxy
		}

		@Override
		public String toString() {
			return this.text;
		}

	}

	static class Named implements Runnable {

		@Override
		public void run() {
			// Only for its proxy
		}

	}

	static class Town extends Naming {

		private final String name;

		Town(String name) {
			this.name = name;
		}

		@Override
		public String toString() {
			return this.name;
		}

	}

	static class Naming {

		private int calls;

		public String name(String id) {
			this.calls++;
			return "named-" + id;
		}

	}

	static class Keys {

		public static final String CONSTANT = "constant";

		@DistributedLock
		public void none() {
		}

		@DistributedLock(key = "")
		public void empty() {
		}

		@DistributedLock(key = "orders/all.today")
		public void literal() {
		}

		@DistributedLock("by-value")
		public void alias() {
		}

		@DistributedLock(key = "orders-${shop.region}")
		public void placeholder() {
		}

		@DistributedLock(key = "${shop.template}")
		public void placeholderWithTemplate(int id) {
		}

		@DistributedLock(key = "order-#{#id}/#{#p1}")
		public void template(String id, int part) {
		}

		@DistributedLock(key = "order-#{#any}")
		public void templateOfAny(Object any) {
		}

		@DistributedLock(key = "#{#first}#{#second}")
		public void pair(String first, String second) {
		}

		@DistributedLock(key = "#order.id")
		public void byName(Order order) {
		}

		@DistributedLock(key = "#p1 + #a0")
		public void byPosition(String first, String second) {
		}

		@DistributedLock(key = "#root.method.name + ':' + #root.target + ':' + #root.args[1]")
		public void root(String first, String second) {
		}

		@DistributedLock(key = "@naming.name(#id)")
		public void bean(String id) {
		}

		@DistributedLock(key = "'order#' + #id")
		public void quoted(String id) {
		}

		@DistributedLock(key = "T(io.github.zklock.aop.DistributedLockKeyTests$Keys).CONSTANT")
		public void constant() {
		}

		@DistributedLock(key = "T(java.lang.Math).abs(#number)")
		public void type(int number) {
		}

		@DistributedLock(key = "#ids")
		public void collection(List<String> ids) {
		}

		@DistributedLock(key = "#ids")
		public void array(int... ids) {
		}

		@DistributedLock(key = "#orders.!['order-' + id]")
		public void projected(Set<Order> orders) {
		}

		@DistributedLock(key = { "from-#{#from}", "#to", "all" })
		public void several(String from, String to) {
		}

		@DistributedLock(key = "#key")
		public void any(Object key) {
		}

		@Override
		public String toString() {
			return "the keys";
		}

	}

	/** Has a text that may change with the language. */
	enum Shown {

		OPEN;

		@Override
		public String toString() {
			return "is open";
		}

	}

}
