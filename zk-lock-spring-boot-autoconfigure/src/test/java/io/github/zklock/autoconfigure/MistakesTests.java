package io.github.zklock.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import jakarta.annotation.PostConstruct;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.CustomScopeConfigurer;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.scheduling.annotation.Scheduled;

import io.github.zklock.ClusterJob;
import io.github.zklock.DistributedLock;
import io.github.zklock.LeaderOnly;
import io.github.zklock.LockClient;
import io.github.zklock.LockRequest;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.spi.LockStrategy;
import io.github.zklock.testing.Actor;
import io.github.zklock.testing.TestServers;
import io.github.zklock.zookeeper.LockSessions;
import io.github.zklock.zookeeper.NaiveLockStrategy;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is said of the mistakes that users make, at start: a table of them is printed.
 */
@ExtendWith(OutputCaptureExtension.class)
class MistakesTests {

	private static final List<String> TABLE = new ArrayList<>();

	@AutoClose
	private static final TestServers server = TestServers.startOne();

	@AfterAll
	static void printTheTable() {
		TABLE.forEach(System.out::println);
	}

	private static Mistake mistake(String name, Class<?> application, String expected, String... arguments) {
		return new Mistake(name, application, expected, List.of(arguments));
	}

	static Stream<Mistake> refused() {
		return Stream.of(mistake("a property that does not exist", Shop.class,
				"There is no property zk-lock.timout (\"zk-lock.timout\" from property source \"commandLineArgs\").",
				"--zk-lock.timout=3s"),
				mistake("what it was meant to be", Shop.class, "Do you mean zk-lock.timeout?", "--zk-lock.timout=3s"),
				mistake("a credential without its number", Shop.class, "Do you mean zk-lock.auth[0].username?",
						"--zk-lock.auth.username=shop"),
				mistake("the same with another mistake", Shop.class, "Do you mean zk-lock.auth[0].username?",
						"--zk-lock.auth.usrname=shop"),
				mistake("the same with a number", Shop.class, "Do you mean zk-lock.auth[1].username?",
						"--zk-lock.auth[1].usrname=shop"),
				mistake("one without the number before", Shop.class,
						"The property zk-lock.auth[1].username (\"zk-lock.auth[1].username\" from property source \"commandLineArgs\") is not read: a smaller number is missing.",
						"--zk-lock.auth[1].username=shop"),
				mistake("a group that does not exist", Shop.class,
						"There is no property zk-lock.embeded.enabled (\"zk-lock.embeded.enabled\" from property source \"commandLineArgs\").",
						"--zk-lock.embeded.enabled=true"),
				mistake("a rule for a pattern without its brackets", Shop.class,
						"There is no property zk-lock.keys.orders.eu.timeout", "--zk-lock.keys.orders.eu.timeout=3s"),
				mistake("a property without a value", Shop.class,
						"The property zk-lock.timeout (\"zk-lock.timeout\" from property source \"commandLineArgs\") is empty.",
						"--zk-lock.timeout=${none:}"),
				mistake("what to do about it", Shop.class, "Give it a value, or remove it.",
						"--zk-lock.keys[a/*].handoff.max-count="),
				mistake("a list of servers", NoServer.class,
						"zk-lock.connect-string is one text: write zk-lock.connect-string=zk1:2181,zk2:2181.",
						"--zk-lock.connect-string[0]=zk1:2181", "--zk-lock.connect-string[1]=zk2:2181"),
				mistake("the same of a group", Shop.class, "Do you mean zk-lock.handoff.max-count?",
						"--zk-lock.handoff.max-cont=3"),
				mistake("the same of a rule", Shop.class, "Do you mean zk-lock.keys[a/*].timeout?",
						"--zk-lock.keys[a/*].timout=3s"),
				mistake("the same of a group of a rule", Shop.class, "Do you mean zk-lock.keys[a/*].handoff.max-count?",
						"--zk-lock.keys[a/*].handoff.max-cont=3"),
				mistake("the same of a rule whose pattern is the name of a group", Shop.class,
						"Do you mean zk-lock.keys[handoff].timeout?", "--zk-lock.keys[handoff].timout=3s"),
				mistake("a duration without a unit", Shop.class, "zk-lock.timeout is 3, which has no unit.",
						"--zk-lock.timeout=3"),
				mistake("how to write it", Shop.class, "zk-lock.keys[a/*].timeout=3s or zk-lock.keys[a/*].timeout=3ms",
						"--zk-lock.keys[a/*].timeout=${three:3}"),
				mistake("a wait that is never slow", Shop.class,
						"Invalid value '40000d' for configuration property 'zk-lock.slow-wait'",
						"--zk-lock.slow-wait=40000d"),
				mistake("an election with a long name", Shop.class,
						"With leader/ it must have at most 1024 characters.",
						"--zk-lock.leader.names=" + "x".repeat(1020)),
				mistake("too many repetitions", Shop.class,
						"Invalid value '30' for configuration property 'zk-lock.retry.max-retries'",
						"--zk-lock.retry.max-retries=30"),
				mistake("fewer than none", Shop.class, "It must be at least 0 and at most 29.",
						"--zk-lock.retry.max-retries=-1"),
				mistake("two connections", TwoConnections.class,
						"There are several CuratorFramework beans (one, another), and nothing says which one the locks are to use."),
				mistake("what to do then", TwoConnections.class,
						"zk-lock.curator-bean=one, or mark one of them with @Primary."),
				mistake("a connection that does not exist", TwoConnections.class,
						"zk-lock.curator-bean is 'other', but there is no CuratorFramework bean of that name.",
						"--zk-lock.curator-bean=other"),
				mistake("a connection that may be replaced", ScopedConnection.class,
						"The CuratorFramework bean 'replaced' has a scope, as by @RefreshScope, in which there may be another connection later"),
				mistake("a property that the parameter does not have", UnknownProperty.class,
						"uses the property 'ident', which MistakesTests.Order does not have."),
				mistake("the same in a template", UnknownPropertyOfProperty.class,
						"uses the property 'size', which MistakesTests.Buyer does not have."),
				mistake("the same in a sum", UnknownPropertyInSum.class,
						"uses the property 'ident', which MistakesTests.Order does not have."),
				mistake("the same in a condition", UnknownPropertyInCondition.class,
						"condition = \"#order.ident > 1\" uses the property 'ident', which MistakesTests.Order does not have."),
				mistake("a method that the parameter does not have", UnknownMethod.class,
						"uses the method 'getId', which MistakesTests.Order does not have."),
				mistake("a condition that is no boolean", NoBoolean.class, "gives long, which is no boolean."),
				mistake("a condition that is a number", NumberAsCondition.class, "gives Integer, which is no boolean."),
				mistake("text and an argument", TextAndArgument.class, "Write \"order-#{#id}\"."),
				mistake("text that looks like a bean", Mail.class, "Write \"'mail@host'\"."),
				mistake("a time-out without a unit", NoUnit.class, "timeout = \"5\" has no unit."),
				mistake("a stream, which is read when the method has returned", Lazy.class,
						"the method returns a Stream<String>, which may do its work after the method has returned, without the lock"),
				mistake("a method that the container calls", Callback.class,
						"the container calls a @PostConstruct method on the bean itself, so that no proxy can lock it"),
				mistake("a prefix that is no path", Shop.class,
						"Invalid value '/billing/' for configuration property 'zk-lock.key-prefix'",
						"--zk-lock.nested-keys=true", "--zk-lock.key-prefix=/billing/"),
				mistake("a bean of which Spring makes no proxy", LockedAspect.class,
						"the bean is an aspect or a part of one, of which Spring makes no proxy"),
				mistake("a root with a placeholder that nothing resolves", Shop.class,
						"zk-lock.root has the placeholder 'not.set', which nothing resolves.",
						"--zk-lock.root=/apps/${not.set}"),
				mistake("a prefix with one", Shop.class, "or give it a default, as in ${not.set:...}.",
						"--zk-lock.key-prefix=${not.set}:"),
				mistake("a password with one", Shop.class, "has the placeholder 'not.set', which nothing resolves.",
						"--zk-lock.auth[0].username=shop", "--zk-lock.auth[0].password=${not.set}"),
				mistake("an election that does not exist", UnknownElection.class,
						"value = \"biling\" names no leader election", "--zk-lock.leader.names=billing"),
				mistake("what to do then", UnknownElection.class, "Add it to zk-lock.leader.names"),
				mistake("the property's name", Shop.class, "Do you mean zk-lock.leader.names?",
						"--zk-lock.leader.name=billing"),
				mistake("a primitive that cannot be skipped", UnskippableLeader.class,
						"otherwise = \"SKIP\" needs an empty value to return, which int does not have",
						"--zk-lock.leader.names=billing"),
				mistake("a path that does not exist", Shop.class, "The path '/apps' at the end of the connect string",
						"--zk-lock.connect-string=" + server.connectString() + "/apps"),
				mistake("no server in a test", Shop.class,
						"A test has a server of its own with @AutoConfigureZkLockTest", "--zk-lock.connect-string="));
	}

	@ParameterizedTest
	@MethodSource
	void refused(Mistake mistake, CapturedOutput output) {
		assertThat(startFails(mistake)).as("the start fails").isTrue();
		String report = output.getOut();
		assertThat(report).contains("APPLICATION FAILED TO START");
		assertSaid(mistake, report.substring(report.indexOf("APPLICATION FAILED TO START")));
	}

	@Test
	void whatIsInAnotherGroupIsNotMeant(CapturedOutput output) {
		assertThat(startFails(mistake("", Shop.class, "", "--zk-lock.keys[a/*].handoff.max-held=3"))).isTrue();
		assertThat(output).contains("There is no property zk-lock.keys[a/*].handoff.max-held")
			.doesNotContain("Do you mean");
	}

	static Stream<Mistake> said() {
		return Stream.of(
				mistake("a strategy that replaces a built-in one", OwnStrategy.class,
						"Locks of the strategy 'naive' are those of a bean of class " + Fast.class.getName()
								+ ", instead of the built-in one"),
				mistake("an argument's name as plain text", PlainText.class,
						"key = \"order-{id}\" is plain text, so that all calls share one lock; for the argument, write \"order-#{#id}\""),
				mistake("a property that a subclass may have", Doubtful.class,
						"key = \"#cart.ident\" uses the property 'ident', which MistakesTests.Cart does not have; calls fail unless the object is of a subclass that has it"),
				mistake("a condition that may become a boolean", DoubtfulCondition.class,
						"condition = \"#cart\" gives MistakesTests.Cart, which is no boolean; calls fail unless the object can be converted to one"),
				mistake("a job that waits", WaitingJob.class,
						"is @Scheduled and waits for its lock, so that each instance runs it, one after the other. For one instance use @ClusterJob"),
				mistake("a call on the same object", SelfCall.class,
						"SelfCall.ship(long) is called by shipAll on the same object, which no proxy sees: it is not locked then."),
				mistake("the same in a lambda", SelfCallInLambda.class,
						"SelfCallInLambda.ship(long) is called by shipAll on the same object"),
				mistake("a method reference to the same object", SelfReference.class,
						"SelfReference.ship(long) is called by shipAll on the same object"));
	}

	@ParameterizedTest
	@MethodSource
	void said(Mistake mistake, CapturedOutput output) {
		assertThat(startFails(mistake)).as("the start fails").isFalse();
		assertSaid(mistake, output.getOut());
	}

	@Test
	void whatIsRightIsNotRefused(CapturedOutput output) throws Exception {
		try (ConfigurableApplicationContext context = run(Right.class, "--zk-lock.curator-bean=another",
				"--zk-lock.leader.names=billing", "--zk-lock.timeout=0", "--zk-lock.retain=1s",
				"--zk-lock.keys[a/*].timeout=0", "--zk-lock.handoff.max-duration=PT1S")) {
			context.getBean(LockClient.class)
				.acquire(LockRequest.exclusive("k").answerTimeout(Actor.PATIENCE))
				.release();
		}
		assertThat(output.getOut().lines().filter((line) -> line.contains(" i.g.z.")))
			.noneMatch((line) -> line.contains("WARN") || line.contains("Locks of the strategy"));
	}

	@ParameterizedTest
	@CsvSource({ "WaitingJob, --zk-lock.timeout=0", "WaitingJob, --zk-lock.keys[nightly].timeout=0",
			"JobThatIsToWait, --zk-lock.timeout=1m" })
	void aJobThatDoesNotWaitOrIsToIsNotWarnedOf(String application, String argument, CapturedOutput output)
			throws ClassNotFoundException {
		run(Class.forName(MistakesTests.class.getName() + "$" + application), argument).close();
		assertThat(output).doesNotContain("is @Scheduled and waits for its lock");
	}

	@Test
	void durationsOfOthersMayHaveNoUnit() {
		try (ConfigurableApplicationContext context = run(Patient.class, "--patience.most=3")) {
			assertThat(context.getBean(Patience.class).most()).isEqualTo(Duration.ofMillis(3));
		}
	}

	private static boolean startFails(Mistake mistake) {
		try (ConfigurableApplicationContext context = run(mistake.application(),
				mistake.arguments().toArray(String[]::new))) {
			return !context.isRunning();
		}
		catch (RuntimeException ex) {
			return true;
		}
	}

	private static ConfigurableApplicationContext run(Class<?> application, String... arguments) {
		SpringApplication spring = new SpringApplication(application);
		spring.setWebApplicationType(WebApplicationType.NONE);
		spring.setRegisterShutdownHook(false);
		if (!TwoConnections.class.isAssignableFrom(application) && application != NoServer.class) {
			spring.setDefaultProperties(Map.of("zk-lock.connect-string", server.connectString()));
		}
		return spring.run(arguments);
	}

	private static void assertSaid(Mistake mistake, String output) {
		assertThat(output).contains(mistake.expected());
		Matcher line = Pattern.compile(".*" + Pattern.quote(mistake.expected()) + ".*").matcher(output);
		assertThat(line.find()).isTrue();
		TABLE.add("| %s | %s |".formatted(mistake.name(), line.group().strip()));
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ ZkLockAutoConfiguration.class, ZkLockAopAutoConfiguration.class })
	static class Shop {

	}

	static class TwoConnections extends Shop {

		@Bean(initMethod = "start", destroyMethod = "close")
		CuratorFramework one() {
			return CuratorFrameworkFactory.newClient(server.connectString(), new RetryOneTime(1));
		}

		@Bean(initMethod = "start", destroyMethod = "close")
		CuratorFramework another() {
			return CuratorFrameworkFactory.newClient(server.connectString(), new RetryOneTime(1));
		}

	}

	static class ScopedConnection extends Shop {

		@Bean
		static CustomScopeConfigurer scopes() {
			CustomScopeConfigurer scopes = new CustomScopeConfigurer();
			scopes.addScope("refresh", new SimpleThreadScope());
			return scopes;
		}

		@Bean(initMethod = "start")
		@Scope(value = "refresh", proxyMode = ScopedProxyMode.TARGET_CLASS)
		CuratorFramework replaced() {
			return CuratorFrameworkFactory.newClient(server.connectString(), new RetryOneTime(1));
		}

	}

	/**
	 * Of another library.
	 *
	 * @param most a duration
	 */
	@ConfigurationProperties("patience")
	record Patience(Duration most) {

	}

	@EnableConfigurationProperties(Patience.class)
	static class Patient extends Shop {

	}

	@Import({ RightKeys.class, RightJobs.class, RightCalls.class, RightFunction.class, RightGeneric.class })
	static class Right extends TwoConnections {

	}

	/** Is final, as all records are. */
	record Order(long id, Buyer buyer) {

	}

	/** Has no size. */
	record Buyer(String name) {

	}

	static class Cart {

		public String getId() {
			return "1";
		}

	}

	static class TextAndArgument extends Shop {

		@DistributedLock(key = "order-#id")
		public void ship(long id) {
		}

	}

	static class Mail extends Shop {

		@DistributedLock(key = "mail@host")
		public void ship(long id) {
		}

	}

	static class PlainText extends Shop {

		@DistributedLock(key = "order-{id}")
		public void ship(long id) {
		}

	}

	static class NoUnit extends Shop {

		@DistributedLock(key = "a", timeout = "5")
		public void ship() {
		}

	}

	static class Lazy extends Shop {

		@DistributedLock(key = "a")
		public Stream<String> orders() {
			return Stream.of("one");
		}

	}

	static class Callback extends Shop {

		@PostConstruct
		@DistributedLock(key = "a")
		public void begin() {
		}

	}

	static class UnknownElection extends Shop {

		@LeaderOnly("biling")
		public void bill() {
		}

	}

	static class UnskippableLeader extends Shop {

		@LeaderOnly("billing")
		public int bill() {
			return 1;
		}

	}

	static class UnknownProperty extends Shop {

		@DistributedLock(key = "#order.ident")
		public void ship(Order order) {
		}

	}

	static class UnknownPropertyOfProperty extends Shop {

		@DistributedLock(key = "buyer-#{#order.buyer.size}")
		public void ship(Order order) {
		}

	}

	static class UnknownPropertyInSum extends Shop {

		@DistributedLock(key = "'order-' + #order.ident")
		public void ship(Order order) {
		}

	}

	static class UnknownPropertyInCondition extends Shop {

		@DistributedLock(key = "a", condition = "#order.ident > 1")
		public void ship(Order order) {
		}

	}

	static class UnknownMethod extends Shop {

		@DistributedLock(key = "#order.getId()")
		public void ship(Order order) {
		}

	}

	static class NoBoolean extends Shop {

		@DistributedLock(key = "a", condition = "#order.id")
		public void ship(Order order) {
		}

	}

	static class NumberAsCondition extends Shop {

		@DistributedLock(key = "a", condition = "1")
		public void ship() {
		}

	}

	static class DoubtfulCondition extends Shop {

		@DistributedLock(key = "a", condition = "#cart")
		public void ship(Cart cart) {
		}

	}

	static class Doubtful extends Shop {

		@DistributedLock(key = "#cart.ident")
		public void ship(Cart cart) {
		}

	}

	@Aspect
	@ImportAutoConfiguration(AopAutoConfiguration.class)
	static class LockedAspect extends Shop {

		@DistributedLock(key = "audit")
		public void flush() {
		}

	}

	static class WaitingJob extends Shop {

		@Scheduled(fixedDelay = 1000)
		@DistributedLock(key = "nightly")
		public void nightly() {
		}

	}

	static class JobThatIsToWait extends Shop {

		@Scheduled(fixedDelay = 1000)
		@DistributedLock(key = "nightly", timeout = "1s")
		public void nightly() {
		}

	}

	static class NoServer extends Shop {

	}

	static class SelfCall extends Shop {

		public void shipAll() {
			ship(1);
		}

		@DistributedLock(key = "#order")
		public void ship(long order) {
		}

	}

	static class SelfCallInLambda extends Shop {

		public void shipAll() {
			LongStream.of(1, 2).forEach((order) -> ship(order));
		}

		@DistributedLock(key = "#order")
		public void ship(long order) {
		}

	}

	static class SelfReference extends Shop {

		public void shipAll() {
			LongStream.of(1, 2).forEach(this::ship);
		}

		@DistributedLock(key = "#order")
		public void ship(long order) {
		}

	}

	/** Has the properties of its subclasses. */
	static class Generic<T> {

		@DistributedLock(key = "#item.id")
		public void ship(T item) {
		}

	}

	static class RightKeys extends Generic<Order> {

		@DistributedLock(key = "#order.id")
		public void ship(Order order, String why) {
		}

		@DistributedLock(key = "#order.buyer().name()", condition = "#order.id > 1")
		public void shipAs(Order order) {
		}

		@DistributedLock(key = "#order?.id", condition = "#now")
		public void shipLater(Optional<Order> order, boolean now) {
		}

		@DistributedLock(key = "#any.id", condition = "#text")
		public void shipAnything(Object any, String text) {
		}

		@DistributedLock(key = "#all.![id]", condition = "#all.size() > 0 and #some.length > 0")
		public void shipAll(List<Order> all, Order[] some) {
		}

		@DistributedLock(key = "#all.?[id > 1].!['order-' + #this.id]")
		public void shipSome(List<Order> all) {
		}

		@DistributedLock(key = "#map[id]", condition = "{id: #map.size()}['id'] > 0")
		public void shipBySize(Map<String, String> map) {
		}

		@DistributedLock(key = "#map['id']", condition = "#cart.id == #cart.toString()")
		public void shipMap(Map<String, String> map, Cart cart) {
		}

		@DistributedLock(key = "#type.MAX_VALUE + #type.parseLong('1')", condition = "#type.simpleName != null")
		public void shipType(Class<?> type) {
		}

		@DistributedLock(key = "#list.size()", condition = "#list.hashCode() == 1")
		public void shipList(List<Order> list) {
		}

		@DistributedLock(key = "#text.class.simpleName", condition = "#text.getClass().name != null")
		public void shipText(CharSequence text) {
		}

	}

	static class RightJobs {

		@Scheduled(fixedDelay = 1000)
		@ClusterJob
		public void job() {
		}

		@Scheduled(fixedDelay = 1000)
		@LeaderOnly("billing")
		public void bill() {
		}

		@Scheduled(fixedDelay = 1000)
		@DistributedLock(key = "one-by-one", timeout = "1m")
		public void oneByOne() {
		}

	}

	static class RightCalls {

		private final ObjectProvider<RightCalls> self;

		RightCalls(ObjectProvider<RightCalls> self) {
			this.self = self;
		}

		public void shipAll() {
			this.self.getObject().ship(1);
		}

		@DistributedLock(key = "#order")
		public void shipTwice(long order) {
			ship(order);
			if (order > 1) {
				shipTwice(order - 1);
			}
		}

		@DistributedLock(key = "#order")
		public void ship(long order) {
		}

		void shipThat(RightCalls other) {
			other.ship(1);
		}

		public boolean sameAs(Object other) {
			return other instanceof RightCalls;
		}

	}

	/** The compiler adds an {@code apply(Object)} that calls the other one. */
	static class RightFunction implements Function<String, String> {

		@Override
		@DistributedLock(key = "#name")
		public String apply(String name) {
			return name;
		}

	}

	abstract static class Step<T> {

		abstract Object run(T item);

	}

	/** The compiler adds a {@code run(Object)} that calls the other one. */
	static class RightGeneric extends Step<Cart> {

		@Override
		@DistributedLock(key = "#cart.id")
		public String run(Cart cart) {
			return cart.getId();
		}

	}

	static class OwnStrategy extends Shop {

		@Bean
		LockStrategy naiveLockStrategy(LockSessions sessions) {
			return new Fast(new NaiveLockStrategy(sessions));
		}

	}

	/** Is as fast as the other one. */
	record Fast(NaiveLockStrategy other) implements LockStrategy {

		@Override
		public Contender enter(LockAttempt attempt, ContenderListener listener) {
			return this.other.enter(attempt, listener);
		}

		@Override
		public CompletionStage<LockQueue> line(String key) {
			return this.other.line(key);
		}

	}

	/** What is wrong, and what is said. */
	private record Mistake(String name, Class<?> application, String expected, List<String> arguments) {

		@Override
		public String toString() {
			return this.name;
		}

	}

}
