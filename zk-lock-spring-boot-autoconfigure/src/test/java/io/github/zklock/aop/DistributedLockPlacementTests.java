package io.github.zklock.aop;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.List;

import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.PriorityOrdered;
import org.springframework.core.annotation.AliasFor;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Where the annotation can stand, and for which methods it counts there.
 */
@ExtendWith(OutputCaptureExtension.class)
class DistributedLockPlacementTests {

	private static List<String> keys(LockedBeans beans) {
		return beans.client().requests().stream().flatMap((request) -> request.keys().stream()).toList();
	}

	@Test
	void onMethodAppliesToThatMethodOnly() {
		try (LockedBeans beans = LockedBeans.of(OnMethod.class)) {
			beans.get(OnMethod.class).locked();
			beans.get(OnMethod.class).free();
			assertThat(keys(beans)).containsExactly("m");
		}
	}

	@Test
	void aClassHasOneProxyClassInAllContexts() {
		Class<?> former;
		try (LockedBeans beans = LockedBeans.of(OnMethod.class)) {
			former = beans.get(OnMethod.class).getClass();
		}
		try (LockedBeans beans = LockedBeans.of(OnMethod.class)) {
			assertThat(beans.get(OnMethod.class)).isExactlyInstanceOf(former);
			beans.get(OnMethod.class).locked();
			assertThat(keys(beans)).containsExactly("m");
		}
	}

	@Test
	void onMethodAppliesToMethodsThatAreNotPublic() {
		try (LockedBeans beans = LockedBeans.of(OnMethod.class)) {
			beans.get(OnMethod.class).protectedOne();
			beans.get(OnMethod.class).packagePrivate();
			assertThat(keys(beans)).containsExactly("protected", "package");
		}
	}

	@Test
	void onClassAppliesToItsPublicMethods() {
		try (LockedBeans beans = LockedBeans.of(OnClass.class)) {
			OnClass bean = beans.get(OnClass.class);
			bean.first();
			bean.inherited();
			bean.notPublic();
			assertThat(bean.toString()).isEqualTo("on class");
			assertThat(keys(beans)).containsExactly("io.github.zklock.aop.DistributedLockPlacementTests$OnClass.first",
					"io.github.zklock.aop.DistributedLockPlacementTests$Base.inherited");
		}
	}

	@Test
	void onTheInterfaceOfARepositoryAppliesToIt() {
		try (LockedBeans beans = LockedBeans.byInterface(Repositories.class)) {
			Repository repository = beans.get(Repository.class);
			assertThat(repository.findOne()).isEqualTo("found");
			assertThat(repository.findAll()).isEqualTo("found");
			LockHandle other = beans.client().holdByAnother("busy");
			assertThat(repository.findLater()).isEqualTo("none");
			other.release();
			assertThat(keys(beans)).containsExactly("type", "all", "busy", "busy");
		}
	}

	@Test
	void onTheInterfaceOfAProxyOfTheJdkAppliesToIt() {
		try (LockedBeans beans = LockedBeans.of(Clients.class)) {
			Client client = beans.get(Client.class);
			assertThat(client.send("a")).isEqualTo("sent");
			assertThat(client.ping()).isEqualTo("sent");
			assertThat(keys(beans)).containsExactly("client-a");
		}
	}

	@Test
	void aRepositoryThatIsMadeTooEarlyIsRefused() {
		InvalidLockDefinitionException mistake = LockedBeans.mistakeByInterface(Repositories.class, Early.class);
		assertThat(mistake.getProblem()).contains("Repository.find", "is created before Spring makes proxies");
	}

	@Test
	void onTheInterfaceOfARepositoryIsCheckedWhenItIsMade() {
		try (LockedBeans beans = LockedBeans.byInterface(BadRepositories.class)) {
			assertThatThrownBy(() -> beans.get(Repository.class))
				.hasStackTraceContaining("BadRepository.findBad(): key = \"#nothing\" uses #nothing");
		}
	}

	@Test
	void onMethodWinsOverClass() {
		try (LockedBeans beans = LockedBeans.of(OnClass.class)) {
			beans.get(OnClass.class).special();
			assertThat(keys(beans)).containsExactly("special");
		}
	}

	@Test
	void onSuperclassAppliesToSubclasses() {
		try (LockedBeans beans = LockedBeans.of(Sub.class)) {
			beans.get(Sub.class).first();
			beans.get(Sub.class).added();
			assertThat(keys(beans)).containsExactly("io.github.zklock.aop.DistributedLockPlacementTests$Sub.first",
					"io.github.zklock.aop.DistributedLockPlacementTests$Sub.added");
		}
	}

	@Test
	void onInterfaceAppliesToTheMethodsOfTheInterface() {
		try (LockedBeans beans = LockedBeans.of(LedgerImpl.class)) {
			beans.get(LedgerImpl.class).book("a");
			beans.get(LedgerImpl.class).own();
			assertThat(keys(beans)).containsExactly("ledger");
		}
	}

	@Test
	void onInterfaceAppliesThroughInterfaceProxies() {
		try (LockedBeans beans = LockedBeans.byInterface(LedgerImpl.class)) {
			Ledger ledger = beans.get(Ledger.class);
			assertThat(AopUtils.isJdkDynamicProxy(ledger)).isTrue();
			ledger.book("a");
			assertThat(keys(beans)).containsExactly("ledger");
		}
	}

	@Test
	void onGenericInterfaceAppliesToTheMethodThatImplementsIt() {
		try (LockedBeans beans = LockedBeans.of(StringStore.class)) {
			Store<String> store = beans.get(StringStore.class);
			store.store("a");
			assertThat(keys(beans)).containsExactly("store-a");
		}
	}

	@Test
	void onMethodOfAnInterfaceAppliesWithTheParameterNamesOfTheInterface() {
		try (LockedBeans beans = LockedBeans.of(PortImpl.class)) {
			beans.get(PortImpl.class).send("x");
			assertThat(keys(beans)).containsExactly("x");
		}
	}

	@Test
	void onAMethodOfAnInterfaceAppliesToWhatTheBeanInheritsForIt() {
		try (LockedBeans beans = LockedBeans.of(Inheriting.class)) {
			beans.get(Inheriting.class).send("x");
			beans.get(Inheriting.class).ping();
			assertThat(keys(beans)).containsExactly("x",
					"io.github.zklock.aop.DistributedLockPlacementTests$PlainSender.ping");
		}
	}

	@Test
	void defaultMethodsOfInterfacesAreLocked() {
		try (LockedBeans beans = LockedBeans.of(PortImpl.class)) {
			beans.get(PortImpl.class).ping();
			assertThat(keys(beans)).containsExactly("io.github.zklock.aop.DistributedLockPlacementTests$Port.ping");
		}
	}

	@Test
	void asMetaAnnotationItTakesOverriddenAttributes() {
		try (LockedBeans beans = LockedBeans.of(Composed.class)) {
			beans.get(Composed.class).keyNode("o1");
			assertThat(keys(beans)).containsExactly("order-o1");
			assertThat(beans.client().lastRequest().mode()).isEqualTo(LockMode.WRITE);
			assertThat(beans.client().lastRequest().strategy()).isEqualTo("naive");
		}
	}

	@Test
	void asMetaAnnotationItKeepsAttributesThatAreNotOverridden() {
		try (LockedBeans beans = LockedBeans.of(Composed.class)) {
			beans.get(Composed.class).plain("o2");
			assertThat(keys(beans)).containsExactly("order-o2");
			assertThat(beans.client().lastRequest().strategy()).isEqualTo("sequential");
		}
	}

	@Test
	void selfInvocationIsNotSeenByTheProxy() {
		try (LockedBeans beans = LockedBeans.of(OnMethod.class)) {
			beans.get(OnMethod.class).callsItself();
			assertThat(keys(beans)).isEmpty();
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { Task.class, TaskWithInterface.class, TaskInParts.class })
	void finalMethodOfATemplateRunsOnTheProxyOfTheClass(Class<? extends Template> task, CapturedOutput output) {
		try (LockedBeans beans = LockedBeans.of(task)) {
			beans.get(Template.class).execute();
			assertThat(keys(beans)).containsExactly("work");
			assertThat(output).doesNotContain("on the same object");
		}
	}

	@Test
	void finalMethodOfATemplateIsWarnedOfWhereTheProxyIsOfInterfaces(CapturedOutput output) {
		try (LockedBeans beans = LockedBeans.byInterface(TaskWithInterface.class)) {
			beans.get(Work.class).execute();
			assertThat(keys(beans)).isEmpty();
			assertThat(output).contains("TaskWithInterface.work() is called by execute on the same object");
		}
	}

	@Test
	void finalMethodOfATemplateIsWarnedOfWhereTheObjectCallsItItself(CapturedOutput output) {
		try (LockedBeans beans = LockedBeans.of(TaskThatCalls.class)) {
			beans.get(TaskThatCalls.class).executeTwice();
			assertThat(keys(beans)).isEmpty();
			assertThat(output).contains("TaskThatCalls.work() is called by execute on the same object");
		}
	}

	@Test
	void finalMethodOfATemplateIsWarnedOfWhereTheObjectCallsThatOfItsSuperclass(CapturedOutput output) {
		try (LockedBeans beans = LockedBeans.of(TaskThatCallsItsSuperclass.class)) {
			beans.get(TaskThatCallsItsSuperclass.class).executeTwice();
			assertThat(keys(beans)).isEmpty();
			assertThat(output).contains("is called by execute on the same object");
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { InitializedTask.class, InjectedTask.class, ClosedTask.class })
	void finalMethodThatTheContainerCallsOnTheBeanItselfIsWarnedOf(Class<?> task, CapturedOutput output) {
		try (LockedBeans beans = LockedBeans.of(task)) {
			assertThat(keys(beans)).isEmpty();
			assertThat(output).contains(task.getSimpleName() + ".work() is called by ", "on the same object");
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { Start.class, Stop.class, Shutdown.class, End.class })
	void methodThatTheDefinitionNamesIsWarnedOf(Class<?> named, CapturedOutput output) {
		try (LockedBeans beans = LockedBeans.of(named)) {
			assertThat(output).containsOnlyOnce("on the same object")
				.containsIgnoringCase("Lifecycle.work() is called by %s on".formatted(named.getSimpleName()));
			assertThat(keys(beans)).isEmpty();
		}
	}

	@Test
	void methodThatALaterDefinitionNamesIsWarnedOf(CapturedOutput output) {
		try (LockedBeans beans = LockedBeans.of(PlainThenStart.class)) {
			assertThat(beans.context().getBeansOfType(Lifecycle.class)).hasSize(3);
			assertThat(output).containsOnlyOnce("on the same object")
				.contains("Lifecycle.work() is called by start on");
		}
	}

	@Test
	void classWithoutLockedMethodsIsNotProxied() {
		try (LockedBeans beans = LockedBeans.of(Base.class)) {
			assertThat(AopUtils.isAopProxy(beans.get(Base.class))).isFalse();
		}
	}

	static class OnMethod {

		@DistributedLock(key = "m")
		public void locked() {
		}

		public void free() {
		}

		public void callsItself() {
			locked();
		}

		@DistributedLock(key = "protected")
		protected void protectedOne() {
		}

		@DistributedLock(key = "package")
		void packagePrivate() {
		}

	}

	/** As Quartz has it. */
	abstract static class Template {

		public final void execute() {
			work();
		}

		protected abstract void work();

	}

	static class Task extends Template {

		@Override
		@DistributedLock(key = "work")
		protected void work() {
		}

	}

	interface Work {

		void execute();

		void work();

	}

	static class TaskWithInterface extends Template implements Work {

		@Override
		@DistributedLock(key = "work")
		public void work() {
		}

	}

	static class TaskInParts extends Task {

		public final void executeInParts() {
			first();
			Runnable second = () -> work();
			second.run();
		}

		private void first() {
			work();
		}

	}

	static class InitializedTask implements InitializingBean {

		@Override
		public final void afterPropertiesSet() {
			work();
		}

		@DistributedLock(key = "work")
		protected void work() {
		}

	}

	static class InjectedTask {

		@Autowired
		public final void setContext(ApplicationContext context) {
			work();
		}

		@DistributedLock(key = "work")
		protected void work() {
		}

	}

	static class ClosedTask implements AutoCloseable {

		@Override
		public final void close() {
			work();
		}

		@DistributedLock(key = "work")
		protected void work() {
		}

	}

	static class TaskThatCalls extends Task {

		public void executeTwice() {
			execute();
			execute();
		}

	}

	static class TaskThatCallsItsSuperclass extends Task {

		public void executeTwice() {
			super.execute();
			super.execute();
		}

	}

	static class Lifecycle {

		public final void start() {
			work();
		}

		public final void stop() {
			work();
		}

		public final void shutdown() {
			work();
		}

		private void end() {
			work();
		}

		public final void endNow() {
			end();
		}

		@DistributedLock(key = "work")
		protected void work() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Start {

		@Bean(initMethod = "start", destroyMethod = "")
		Lifecycle lifecycle() {
			return new Lifecycle();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PlainThenStart {

		@Bean(destroyMethod = "")
		Lifecycle plain() {
			return new Lifecycle();
		}

		@Bean(initMethod = "start", destroyMethod = "")
		Lifecycle started() {
			return new Lifecycle();
		}

		@Bean(initMethod = "start", destroyMethod = "")
		Lifecycle another() {
			return new Lifecycle();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Stop {

		@Bean(destroyMethod = "stop")
		Lifecycle lifecycle() {
			return new Lifecycle();
		}

	}

	/** Spring infers it. */
	@Configuration(proxyBeanMethods = false)
	static class Shutdown {

		@Bean
		Lifecycle lifecycle() {
			return new Lifecycle();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class End {

		@Bean(destroyMethod = "end")
		Lifecycle lifecycle() {
			return new Lifecycle();
		}

	}

	static class Base {

		public void inherited() {
		}

	}

	@DistributedLock
	static class OnClass extends Base {

		public void first() {
		}

		@DistributedLock(key = "special")
		public void special() {
		}

		void notPublic() {
		}

		@Override
		public String toString() {
			return "on class";
		}

	}

	static class Sub extends OnClass {

		@Override
		public void first() {
		}

		public void added() {
		}

	}

	/**
	 * As repositories are made: a proxy whose target has none of the interface's methods.
	 */
	static class Repositories implements FactoryBean<Repository> {

		@Override
		public Repository getObject() {
			ProxyFactory proxy = new ProxyFactory(new Object());
			proxy.setInterfaces(Repository.class);
			proxy.addAdvice((MethodInterceptor) (invocation) -> invocation.getMethod().isDefault()
					? InvocationHandler.invokeDefault(((ProxyMethodInvocation) invocation).getProxy(),
							invocation.getMethod(), invocation.getArguments())
					: "found");
			return (Repository) proxy.getProxy();
		}

		@Override
		public Class<?> getObjectType() {
			return Repository.class;
		}

	}

	/** As clients are made of interfaces. */
	@Configuration(proxyBeanMethods = false)
	static class Clients {

		@Bean
		Client client() {
			return (Client) Proxy.newProxyInstance(Client.class.getClassLoader(), new Class<?>[] { Client.class },
					(proxy, method, arguments) -> method.getName().equals("hashCode") ? 1 : "sent");
		}

	}

	interface Client {

		@DistributedLock(key = "client-#{#message}")
		String send(String message);

		String ping();

	}

	/** Everything is made after it. */
	static class Early implements BeanPostProcessor, BeanFactoryAware, PriorityOrdered {

		@Override
		public void setBeanFactory(BeanFactory beanFactory) {
			beanFactory.getBean(Repository.class);
		}

		@Override
		public int getOrder() {
			return 0;
		}

	}

	interface Finder {

		String findAll();

	}

	@DistributedLock(key = "type")
	interface Repository extends Finder {

		String findOne();

		@Override
		@DistributedLock(key = "all")
		String findAll();

		@DistributedLock(key = "busy", timeout = "0", fallback = "none")
		String findLater();

		default String none() {
			return "none";
		}

	}

	static class BadRepositories extends Repositories {

		@Override
		public Repository getObject() {
			ProxyFactory proxy = new ProxyFactory(new Object());
			proxy.setInterfaces(BadRepository.class);
			proxy.addAdvice((MethodInterceptor) (invocation) -> "found");
			return (Repository) proxy.getProxy();
		}

	}

	interface BadRepository extends Repository {

		@DistributedLock(key = "#nothing")
		String findBad();

	}

	@DistributedLock(key = "ledger")
	interface Ledger {

		void book(String what);

	}

	static class LedgerImpl implements Ledger {

		@Override
		public void book(String what) {
		}

		public void own() {
		}

	}

	@DistributedLock(key = "store-#{#p0}")
	interface Store<T> {

		void store(T item);

	}

	static class StringStore implements Store<String> {

		@Override
		public void store(String text) {
		}

	}

	interface Port {

		@DistributedLock(key = "#message")
		void send(String message);

		@DistributedLock
		default void ping() {
		}

	}

	static class PlainSender {

		public void send(String message) {
		}

		public void ping() {
		}

	}

	static class Inheriting extends PlainSender implements Port {

	}

	static class PortImpl implements Port {

		@Override
		public void send(String other) {
		}

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(key = "order-#{#id}", strategy = "sequential")
	@interface OrderLock {

		@AliasFor(annotation = DistributedLock.class)
		LockMode mode() default LockMode.EXCLUSIVE;

		@AliasFor(annotation = DistributedLock.class, attribute = "strategy")
		String by() default "sequential";

	}

	static class Composed {

		@OrderLock(mode = LockMode.WRITE, by = "naive")
		public void keyNode(String id) {
		}

		@OrderLock
		public void plain(String id) {
		}

	}

}
