package io.github.zklock.aop;

import java.lang.reflect.Method;
import java.util.List;

import org.apache.zookeeper.ClientCnxnSocketNIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeHint;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.ReflectionHintsPredicates;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.aot.AotServices;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.javapoet.ClassName;
import org.springframework.stereotype.Component;

import io.github.zklock.DistributedLock;
import io.github.zklock.LeaderOnly;
import io.github.zklock.LockTimeoutException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

class LockedBeanAotTests {

	private static final ReflectionHintsPredicates REFLECTION = RuntimeHintsPredicates.reflection();

	private static RuntimeHints hints(Class<?>... beans) {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.getBeanFactory()
				.addEmbeddedValueResolver((text) -> text.replace("${customers.key}", "#customer.name"));
			for (Class<?> bean : beans) {
				Component named = bean.getAnnotation(Component.class);
				context.registerBean((named != null) ? named.value() : bean.getSimpleName(), bean);
			}
			DefaultGenerationContext generated = new DefaultGenerationContext(
					new ClassNameGenerator(ClassName.get(LockedBeanAotTests.class)), new InMemoryGeneratedFiles());
			new ApplicationContextAotGenerator().processAheadOfTime(context, generated);
			return generated.getRuntimeHints();
		}
	}

	// What predicates for it are called differs between the lines of Spring.
	private static boolean canBeCalled(RuntimeHints hints, Method method) {
		TypeHint type = hints.reflection().getTypeHint(method.getDeclaringClass());
		return type != null
				&& (type.getMemberCategories().contains(MemberCategory.INVOKE_PUBLIC_METHODS) || type.methods()
					.anyMatch((hint) -> hint.getMode() == ExecutableMode.INVOKE
							&& hint.getName().equals(method.getName())
							&& hint.getParameterTypes().equals(TypeReference.listOf(method.getParameterTypes()))));
	}

	@Test
	void theLockedMethodAndItsFallbackCanBeCalled() throws Exception {
		RuntimeHints hints = hints(Shop.class);
		assertThat(canBeCalled(hints, Shop.class.getMethod("order", Order.class))).isTrue();
		assertThat(canBeCalled(hints, Shop.class.getDeclaredMethod("busy", Order.class, LockTimeoutException.class)))
			.isTrue();
		assertThat(canBeCalled(hints, Shop.class.getMethod("other", Unused.class))).isFalse();
	}

	@Test
	void expressionsMayAskArgumentsAndTheirPropertiesAndTheRoot() throws Exception {
		RuntimeHints hints = hints(Shop.class);
		assertThat(canBeCalled(hints, Order.class.getMethod("customer"))).isTrue();
		assertThat(canBeCalled(hints, Order.class.getMethod("number"))).isTrue();
		assertThat(canBeCalled(hints, Customer.class.getMethod("getName"))).isTrue();
		assertThat(REFLECTION.onType(LockCallRoot.class).withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS))
			.accepts(hints);
		assertThat(REFLECTION.onType(Unused.class)).rejects(hints);
	}

	@Test
	void expressionsMayAskWhatIsInACollection() throws Exception {
		RuntimeHints hints = hints(Warehouse.class);
		assertThat(canBeCalled(hints, Order.class.getMethod("customer"))).isTrue();
		assertThat(canBeCalled(hints, Customer.class.getMethod("getName"))).isTrue();
	}

	@Test
	void expressionsMayAskTheBeanItself() throws Exception {
		RuntimeHints hints = hints(Warehouse.class);
		assertThat(canBeCalled(hints, Warehouse.class.getMethod("tenant"))).isTrue();
	}

	@Test
	void expressionsMayAskTheCallWithoutNamingTheRoot() throws Exception {
		assertThat(canBeCalled(hints(AsksTarget.class), AsksTarget.class.getMethod("tenant"))).isTrue();
		assertThat(canBeCalled(hints(AsksArguments.class), Order.class.getMethod("number"))).isTrue();
	}

	@Test
	void expressionsMayAskForTheNamesOfTheMethodAndTheClass() throws Exception {
		assertThat(canBeCalled(hints(Shop.class), Method.class.getMethod("getName"))).isTrue();
		assertThat(canBeCalled(hints(AsksClass.class), Class.class.getMethod("getName"))).isTrue();
		assertThat(canBeCalled(hints(Leading.class), Class.class.getMethod("getName"))).isFalse();
	}

	@Test
	void theFallbackMayBeInherited() throws Exception {
		RuntimeHints hints = hints(Branch.class);
		assertThat(canBeCalled(hints, Shop.class.getDeclaredMethod("busy", Order.class, LockTimeoutException.class)))
			.isTrue();
	}

	@ParameterizedTest
	@ValueSource(classes = { Configured.class, ConfiguredLater.class, ConfiguredOtherwise.class })
	void whatAPlaceholderStandsForMayBeAnExpression(Class<?> bean) throws Exception {
		assertThat(canBeCalled(hints(bean), Customer.class.getMethod("getName"))).isTrue();
	}

	@Test
	void typesThatHaveThemselvesInsideAreRegisteredOnce() throws Exception {
		RuntimeHints hints = hints(Generic.class);
		assertThat(canBeCalled(hints, Order.class.getMethod("customer"))).isTrue();
	}

	@Test
	void aFactoryInsideOfABeanIsNotAskedFor() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.registerBeanDefinition("outer",
					BeanDefinitionBuilder.rootBeanDefinition(Outer.class)
						.addPropertyValue("made",
								BeanDefinitionBuilder.rootBeanDefinition(InnerFactory.class).getBeanDefinition())
						.getBeanDefinition());
			DefaultGenerationContext generated = new DefaultGenerationContext(
					new ClassNameGenerator(ClassName.get(LockedBeanAotTests.class)), new InMemoryGeneratedFiles());
			assertThatNoException()
				.isThrownBy(() -> new ApplicationContextAotGenerator().processAheadOfTime(context, generated));
		}
	}

	@Test
	void whatAFactoryMakesIsLocked() throws Exception {
		RuntimeHints hints = hints(Factory.class);
		assertThat(canBeCalled(hints, Order.class.getMethod("customer"))).isTrue();
	}

	@Test
	void expressionsMayAskBeans() throws Exception {
		assertThat(canBeCalled(hints(AsksBean.class, Keys.class), Keys.class.getMethod("of", String.class))).isTrue();
	}

	@Test
	void expressionsMayAskTypes() throws Exception {
		RuntimeHints hints = hints(AsksTypes.class);
		assertThat(canBeCalled(hints, Text.class.getMethod("of", String.class))).isTrue();
		assertThat(canBeCalled(hints, Math.class.getMethod("abs", int.class))).isTrue();
		assertThat(hints.reflection().getTypeHint(Constants.class).fields()).singleElement()
			.satisfies((field) -> assertThat(field.getName()).isEqualTo("KEY"));
		assertThat(canBeCalled(hints, Kind.class.getMethod("valueOf", String.class))).isTrue();
	}

	@ParameterizedTest
	@ValueSource(classes = { AsksQuotedBean.class, AsksBeanInDoubleQuotes.class })
	void expressionsMayAskBeansWhoseNamesAreQuoted(Class<?> bean) throws Exception {
		assertThat(canBeCalled(hints(bean, KeysOfOrders.class), KeysOfOrders.class.getMethod("of", String.class)))
			.isTrue();
	}

	@Test
	void methodsOfALeaderCanBeCalled() throws Exception {
		assertThat(canBeCalled(hints(Leading.class), Leading.class.getMethod("run"))).isTrue();
	}

	@Test
	void otherBeansNeedNothing() {
		RuntimeHints hints = hints(Unused.class);
		assertThat(REFLECTION.onType(LockCallRoot.class)).rejects(hints);
	}

	@Test
	void theClientMakesItsConnectionsByName() {
		RuntimeHints hints = new RuntimeHints();
		AotServices.factories()
			.load(RuntimeHintsRegistrar.class)
			.stream()
			.filter((registrar) -> registrar.getClass().getName().startsWith("io.github.zklock"))
			.forEach((registrar) -> registrar.registerHints(hints, getClass().getClassLoader()));
		assertThat(REFLECTION.onType(ClientCnxnSocketNIO.class)
			.withMemberCategory(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS)).accepts(hints);
		assertThat(REFLECTION.onType(TypeReference.of("org.apache.zookeeper.ClientCnxnSocketNetty"))
			.withMemberCategory(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS)).accepts(hints);
	}

	public static class Shop {

		@DistributedLock(key = "#order.customer.name + #root.method.name", fallback = "busy")
		public String order(Order order) {
			return "ordered";
		}

		String busy(Order order, LockTimeoutException ex) {
			return "busy";
		}

		public void other(Unused unused) {
		}

	}

	public static class Warehouse {

		@DistributedLock(key = "#orders.![customer.name]")
		public void ship(List<Order> orders) {
		}

		@DistributedLock(key = "#root.target.tenant()")
		public void close() {
		}

		public String tenant() {
			return "a";
		}

	}

	public static class AsksTarget {

		@DistributedLock(key = "target.tenant()")
		public void close() {
		}

		public String tenant() {
			return "a";
		}

	}

	public static class AsksArguments {

		@DistributedLock(key = "orders", condition = "args[0].number > 1")
		public void ship(Order order) {
		}

	}

	public static class AsksClass {

		@DistributedLock(key = "target.getClass().name")
		public void close() {
		}

	}

	public static class Branch extends Shop {

		@DistributedLock(key = "branch", fallback = "busy")
		@Override
		public String order(Order order) {
			return "ordered here";
		}

	}

	public static class Configured {

		@DistributedLock(key = "${customers.key}")
		public void greet(Customer customer) {
		}

	}

	public static class ConfiguredLater {

		@DistributedLock(key = "${only.known.where.it.runs}")
		public void greet(Customer customer) {
		}

	}

	public static class ConfiguredOtherwise {

		@DistributedLock(key = "${only.known.where.it.runs:#customer.name}")
		public void greet(Customer customer) {
		}

	}

	public static class Generic {

		@DistributedLock(key = "#order.number")
		public <T extends Comparable<T>, E extends Enum<E>> void ship(T first, Class<E> kind,
				List<? super Comparable<? super T>> others, List<Order>[] orders) {
		}

	}

	public static class Outer {

		private String made = "";

		public void setMade(String made) {
			this.made = made;
		}

		@Override
		public String toString() {
			return this.made;
		}

	}

	public static class InnerFactory implements FactoryBean<String> {

		@Override
		public String getObject() {
			return "made";
		}

		@Override
		public Class<?> getObjectType() {
			return String.class;
		}

	}

	public static class Factory implements FactoryBean<Made> {

		@Override
		public Made getObject() {
			throw new UnsupportedOperationException();
		}

		@Override
		public Class<?> getObjectType() {
			return Made.class;
		}

	}

	public interface Made {

		@DistributedLock(key = "#order.number")
		void ship(Order order);

	}

	public static class AsksBean {

		@DistributedLock(key = "@Keys.of('x')")
		public void run() {
		}

	}

	public static class AsksTypes {

		@DistributedLock(key = "T(io.github.zklock.aop.LockedBeanAotTests$Text).of('x')",
				condition = "T(Math).abs(1) == 1")
		public void method() {
		}

		@DistributedLock(key = "order-#{ T( io.github.zklock.aop.LockedBeanAotTests.Constants ).KEY }")
		public void constant() {
		}

		@DistributedLock(key = "${only.known.where.it.runs:T(io.github.zklock.aop.LockedBeanAotTests$Kind).A.name()}")
		public void byDefault() {
		}

		@DistributedLock(key = "'GET(nothing) T(nothing) T(int)'")
		public void text() {
		}

	}

	public static final class Text {

		private Text() {
		}

		public static String of(String text) {
			return text;
		}

	}

	public static final class Constants {

		public static final String KEY = "key";

		private Constants() {
		}

	}

	public enum Kind {

		A

	}

	public static class AsksQuotedBean {

		@DistributedLock(key = "order-#{@'order-keys'.of('x')}")
		public void run() {
		}

	}

	public static class AsksBeanInDoubleQuotes {

		@DistributedLock(condition = "@\"order-keys\".of('x') != null")
		public void run() {
		}

	}

	public static class Leading {

		@LeaderOnly("billing")
		public void run() {
		}

	}

	public static class Keys {

		public String of(String text) {
			return text;
		}

	}

	@Component("order-keys")
	public static class KeysOfOrders extends Keys {

		@Override
		public String of(String text) {
			return "order-" + text;
		}

	}

	public record Order(Customer customer) {

		public int number() {
			return 1;
		}

	}

	public static class Customer {

		public String getName() {
			return "ada";
		}

	}

	public static class Unused {

	}

}
