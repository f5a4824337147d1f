package io.github.zklock.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.LivenessState;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;

import io.github.zklock.LeaderElection;
import io.github.zklock.LeaderOnly;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.spring.GrantedEvent;
import io.github.zklock.spring.RevokedEvent;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The elections of applications: their beans, and when they begin and end.
 */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class LeaderElectionsTests {

	// WebServerGracefulShutdownLifecycle.SMART_LIFECYCLE_PHASE, of both lines of Spring
	// Boot
	private static final int WEB_SERVER = SmartLifecycle.DEFAULT_PHASE - 1024;

	private final String root = "/leaders-" + UUID.randomUUID();

	private final List<ConfigurableApplicationContext> applications = new ArrayList<>();

	@AfterEach
	void stopAll() {
		this.applications.forEach(ConfigurableApplicationContext::close);
	}

	private ConfigurableApplicationContext start(Class<?> application, String... properties) {
		ConfigurableApplicationContext started = new SpringApplicationBuilder(application).web(WebApplicationType.NONE)
			.registerShutdownHook(false)
			.properties("zk-lock.root=" + this.root, "spring.main.banner-mode=off", "zk-lock.leader.names=billing")
			.properties(properties)
			.run();
		this.applications.add(started);
		return started;
	}

	private ConfigurableApplicationContext inMemory(Class<?> application, String... properties) {
		return start(application,
				Stream.concat(Stream.of("zk-lock.in-memory=true"), Stream.of(properties)).toArray(String[]::new));
	}

	@Test
	void aChildContextHasTheElectionsOfItsParent() {
		ConfigurableApplicationContext parent = inMemory(Application.class);
		awaitLeader(parent);
		ConfigurableApplicationContext child = new SpringApplicationBuilder(Application.class).parent(parent)
			.web(WebApplicationType.NONE)
			.registerShutdownHook(false)
			.properties("spring.main.banner-mode=off", "zk-lock.in-memory=true", "zk-lock.leader.names=billing")
			.run();
		assertThat(child.containsLocalBean("billingLeaderElection")).isFalse();
		assertThat(election(child)).isSameAs(election(parent));
		child.close();
		assertThat(election(parent).isLeader()).isTrue();
	}

	private static LeaderElection election(ConfigurableApplicationContext application) {
		return application.getBean("billingLeaderElection", LeaderElection.class);
	}

	private static Journal journal(ConfigurableApplicationContext application) {
		return application.getBean(Journal.class);
	}

	private static void awaitLeader(ConfigurableApplicationContext application) {
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> election(application).isLeader());
	}

	// A term that ends before it is announced has no events
	private static void awaitAnnounced(ConfigurableApplicationContext application) {
		awaitLeader(application);
		Awaitility.await().until(() -> !journal(application).events.isEmpty());
	}

	// An inspector of the same locks would need a client of its own
	private static void assertNotCandidate(ConfigurableApplicationContext application) throws InterruptedException {
		LockClient client = application.getBean(LockClient.class);
		try (LockHandle free = client.acquire(LockRequest.exclusive(LeaderElection.key("billing")))) {
			assertThat(election(application).isLeader()).isFalse();
			assertThat(free.isHeld()).isTrue();
		}
		// Nor did it wait behind that lock
		Awaitility.await().during(Duration.ofMillis(200)).until(() -> !election(application).isLeader());
	}

	@Test
	void eachNameHasABeanWithItsQualifier() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class, ZkLockAopAutoConfiguration.class))
			.withPropertyValues("zk-lock.in-memory=true", "zk-lock.root=" + this.root,
					"zk-lock.leader.names=billing, reports,billing")
			.withUserConfiguration(TwoOfThem.class)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBeansOfType(LeaderElection.class)).containsOnlyKeys("billingLeaderElection",
						"reportsLeaderElection");
				TwoOfThem two = context.getBean(TwoOfThem.class);
				assertThat(two.one.name()).isEqualTo("billing");
				assertThat(two.other.name()).isEqualTo("reports");
				assertThat(two.one.isLeader()).isFalse();
			});
	}

	@Test
	void withoutNamesThereIsNone() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class, ZkLockAopAutoConfiguration.class))
			.withPropertyValues("zk-lock.in-memory=true", "zk-lock.root=" + this.root)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LeaderElection.class));
	}

	@Test
	void aBlankNameIsRefused() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class))
			.withPropertyValues("zk-lock.in-memory=true", "zk-lock.leader.names[0]= ")
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("The name of an election is blank"));
	}

	@Test
	void anElectionOfTheUsersWinsAndBeginsWithTheApplication() {
		ConfigurableApplicationContext application = inMemory(OwnElections.class);
		assertThat(application.getBeansOfType(LeaderElection.class)).containsOnlyKeys("billingLeaderElection", "own");
		Awaitility.await().until(() -> application.getBean("own", LeaderElection.class).isLeader());
		Awaitility.await().until(() -> OwnElections.TERMS.get() > 0);
		assertThat(journal(application).events).isEmpty();
	}

	@Test
	void nobodyLeadsBeforeTheApplicationIsReady() {
		ConfigurableApplicationContext application = inMemory(Runner.class);
		assertThat(application.getBean(Runner.class).ran).isTrue();
		awaitLeader(application);
	}

	@Test
	void nobodyLeadsBeforeTheApplicationIsReadyAlthoughAChildOfItIs() {
		ConfigurableApplicationContext application = inMemory(RunnerWithChild.class);
		assertThat(application.getBean(RunnerWithChild.class).ran).isTrue();
	}

	@Test
	void aContextThatNoApplicationMadeIsNoCandidate() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class))
			.withPropertyValues("zk-lock.in-memory=true", "zk-lock.root=" + this.root, "zk-lock.leader.names=billing")
			.run((context) -> {
				try (LockHandle free = context.getBean(LockClient.class)
					.acquire(LockRequest.exclusive(LeaderElection.key("billing")))) {
					assertThat(free.isHeld()).isTrue();
				}
				context.getBean(LeaderElection.class).stand();
				Awaitility.await().until(context.getBean(LeaderElection.class)::isLeader);
			});
	}

	@Test
	void methodsRunOnOneApplicationAndEventsAreInOrder() {
		ConfigurableApplicationContext first = inMemory(Application.class);
		awaitAnnounced(first);
		ConfigurableApplicationContext second = inMemory(Application.class);
		assertThat(first.getBean(Job.class).run()).isEqualTo("run");
		assertThat(second.getBean(Job.class).run()).isNull();
		Journal ended = journal(first);
		first.close();
		awaitLeader(second);
		assertThat(second.getBean(Job.class).run()).isEqualTo("run");
		assertThat(ended.events).hasSize(2);
		GrantedEvent granted = (GrantedEvent) ended.events.get(0);
		RevokedEvent revoked = (RevokedEvent) ended.events.get(1);
		assertThat(granted.getName()).isEqualTo(revoked.getName()).isEqualTo("billing");
		assertThat(granted.getTerm()).isEqualTo(revoked.getTerm());
		assertThat(granted.getElection()).isSameAs(revoked.getElection());
		Awaitility.await().until(() -> journal(second).events.size() == 1);
		assertThat(((GrantedEvent) journal(second).events.get(0)).getTerm()).isGreaterThan(granted.getTerm());
		assertThat(Stream.concat(ended.threads.stream(), journal(second).threads.stream()))
			.containsOnly("zk-lock-leader-billing");
	}

	@Test
	void aListenerThatThrowsDisturbsNothing(CapturedOutput output) {
		ConfigurableApplicationContext application = inMemory(Failing.class);
		AtomicInteger events = application.getBean(Failing.class).events;
		// A term that ends before it is announced has no events
		Awaitility.await().until(() -> events.get() == 1);
		election(application).yield();
		Awaitility.await().until(() -> events.get() == 3);
		awaitLeader(application);
		assertThat(output).contains("A listener of the election 'billing' failed");
	}

	@Test
	void itYieldsBeforeTheWebServerStopsAndWhenItsListenersAndWorkHaveEnded() {
		ConfigurableApplicationContext application = inMemory(StopsInOrder.class);
		awaitAnnounced(application);
		StopsInOrder order = application.getBean(StopsInOrder.class);
		LockHandle work = election(application).enter().orElseThrow();
		order.whenRevoked = work::release;
		application.close();
		assertThat(order.steps).containsExactly("first phase", "revoked", "released", "web server's phase");
	}

	@ParameterizedTest
	@ValueSource(classes = { ClosedWhenGranted.class, ClosedWhenRevoked.class, ClosedByOwnElection.class })
	void aListenerThatClosesTheContextIsNotWaitedFor(Class<? extends Closed> listening, CapturedOutput output) {
		ConfigurableApplicationContext application = inMemory(listening);
		Closed closed = application.getBean(Closed.class);
		LeaderElection election = election(application);
		Awaitility.await().atMost(Duration.ofSeconds(15)).until(() -> {
			election.yield();
			return closed.end.getCount() == 0;
		});
		awaitLeader(inMemory(Application.class));
		assertThat(closed.events).as("events of the closed context").hasValue(0);
		assertThat(output).doesNotContain("ERROR", "Exception");
	}

	@Test
	void aContextThatIsStartedAgainIsACandidateAgain() throws InterruptedException {
		ConfigurableApplicationContext application = inMemory(Application.class);
		awaitLeader(application);
		application.stop();
		assertNotCandidate(application);
		application.start();
		awaitLeader(application);
	}

	@Test
	void anInstanceThatIsNotAvailableYieldsIfThatIsWanted() throws InterruptedException {
		ConfigurableApplicationContext application = inMemory(Application.class,
				"zk-lock.leader.yield-when-unavailable=true");
		awaitLeader(application);
		AvailabilityChangeEvent.publish(application, ReadinessState.REFUSING_TRAFFIC);
		assertNotCandidate(application);
		AvailabilityChangeEvent.publish(application, LivenessState.BROKEN);
		AvailabilityChangeEvent.publish(application, ReadinessState.ACCEPTING_TRAFFIC);
		assertNotCandidate(application);
		AvailabilityChangeEvent.publish(application, LivenessState.CORRECT);
		awaitLeader(application);
	}

	@Test
	void anInstanceThatIsNotAvailableLeadsOnOtherwise() {
		ConfigurableApplicationContext application = inMemory(Application.class);
		awaitLeader(application);
		AvailabilityChangeEvent.publish(application, ReadinessState.REFUSING_TRAFFIC);
		AvailabilityChangeEvent.publish(application, LivenessState.BROKEN);
		Awaitility.await().during(Duration.ofMillis(200)).until(() -> election(application).isLeader());
	}

	@Test
	void anElectionThatTheApplicationHasClosedStaysClosed() {
		ConfigurableApplicationContext application = inMemory(Application.class);
		awaitLeader(application);
		election(application).close();
		application.stop();
		application.start();
		assertThat(application.isRunning()).isTrue();
		assertThat(election(application).isLeader()).isFalse();
	}

	@Test
	void itWorksWithBeansThatAreMadeLazily() {
		ConfigurableApplicationContext application = inMemory(Application.class,
				"spring.main.lazy-initialization=true");
		awaitLeader(application);
		assertThat(application.getBean(Job.class).run()).isEqualTo("run");
	}

	@Test
	@Tag("slow")
	void aServerThatIsAwayAtTheStartDoesNotEndTheCandidacy() throws Exception {
		int port = InstanceSpec.getRandomPort();
		ConfigurableApplicationContext application = start(Application.class,
				"zk-lock.connect-string=127.0.0.1:" + port, "zk-lock.fail-fast=false", "zk-lock.session-timeout=4s");
		assertThat(election(application).isLeader()).isFalse();
		assertThat(application.getBean(Job.class).run()).isNull();
		try (TestingServer server = new TestingServer(port)) {
			awaitLeader(application);
			ConfigurableApplicationContext next = start(Application.class,
					"zk-lock.connect-string=" + server.getConnectString(), "zk-lock.session-timeout=4s");
			application.close();
			awaitLeader(next);
			server.stop();
			Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> journal(next).events.size() == 2);
			assertThat(election(next).isLeader()).isFalse();
			server.restart();
			awaitLeader(next);
			next.close();
		}
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ ZkLockAutoConfiguration.class, ZkLockAopAutoConfiguration.class })
	@Import({ Journal.class, Job.class })
	static class Application {

	}

	static class TwoOfThem {

		private final LeaderElection one;

		private final LeaderElection other;

		TwoOfThem(@Qualifier("billing") LeaderElection one, @Qualifier("reports") LeaderElection other) {
			this.one = one;
			this.other = other;
		}

	}

	static class Job {

		@LeaderOnly("billing")
		public String run() {
			return "run";
		}

	}

	/** Has the events of an application. */
	static class Journal {

		private final List<ApplicationEvent> events = new CopyOnWriteArrayList<>();

		private final List<String> threads = new CopyOnWriteArrayList<>();

		@EventListener({ GrantedEvent.class, RevokedEvent.class })
		void note(ApplicationEvent event) {
			this.threads.add(Thread.currentThread().getName());
			this.events.add(event);
		}

	}

	static class OwnElections extends Application {

		static final AtomicInteger TERMS = new AtomicInteger();

		@Bean
		LeaderElection billingLeaderElection(LockClient client) {
			return LeaderElection.of(client, "billing", new LeaderElection.Listener() {
				@Override
				public void granted(long term) {
					TERMS.incrementAndGet();
				}
			});
		}

		@Bean
		LeaderElection own(LockClient client) {
			return LeaderElection.of(client, "own", new LeaderElection.Listener() {
			});
		}

	}

	static class Failing extends Application {

		private final AtomicInteger events = new AtomicInteger();

		@EventListener({ GrantedEvent.class, RevokedEvent.class })
		void fail(ApplicationEvent event) {
			throw new IllegalStateException("event " + this.events.incrementAndGet() + " of " + event.getSource());
		}

	}

	/** Is closed by a listener, and has no other. */
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(ZkLockAutoConfiguration.class)
	abstract static class Closed {

		final AtomicInteger events = new AtomicInteger();

		private final CountDownLatch end = new CountDownLatch(1);

		@Autowired
		private ConfigurableApplicationContext context;

		void close() {
			this.context.close();
			this.end.countDown();
		}

	}

	static class ClosedWhenGranted extends Closed {

		@EventListener(GrantedEvent.class)
		void granted() {
			close();
		}

		@EventListener(RevokedEvent.class)
		void revoked() {
			this.events.incrementAndGet();
		}

	}

	static class ClosedWhenRevoked extends Closed {

		@EventListener(RevokedEvent.class)
		void revoked() {
			close();
		}

	}

	static class ClosedByOwnElection extends Closed {

		@Bean
		LeaderElection billingLeaderElection(LockClient client) {
			return LeaderElection.of(client, "billing", new LeaderElection.Listener() {
				@Override
				public void revoked(long term) {
					close();
				}
			});
		}

	}

	static class Runner extends Application implements CommandLineRunner {

		@Autowired
		private ConfigurableApplicationContext context;

		private volatile boolean ran;

		@Override
		public void run(String... arguments) throws InterruptedException {
			assertNotCandidate(this.context);
			this.ran = true;
		}

	}

	static class RunnerWithChild extends Application implements CommandLineRunner {

		@Autowired
		private ConfigurableApplicationContext context;

		private volatile boolean ran;

		@Override
		public void run(String... arguments) throws InterruptedException {
			try (ConfigurableApplicationContext child = new SpringApplicationBuilder(Child.class).parent(this.context)
				.web(WebApplicationType.NONE)
				.registerShutdownHook(false)
				.properties("spring.main.banner-mode=off")
				.run()) {
				assertThat(child.isActive()).isTrue();
				assertNotCandidate(this.context);
			}
			this.ran = true;
		}

		@Configuration(proxyBeanMethods = false)
		static class Child {

		}

	}

	static class StopsInOrder extends Application {

		private final List<String> steps = new CopyOnWriteArrayList<>();

		private volatile Runnable whenRevoked = () -> {
		};

		@EventListener
		void revoked(RevokedEvent event) {
			this.steps.add("revoked");
			CountDownLatch released = new CountDownLatch(1);
			new Thread(() -> {
				released.countDown();
				this.steps.add("released");
				this.whenRevoked.run();
			}, event.getName()).start();
			Awaitility.await().until(() -> released.getCount() == 0);
		}

		@Bean
		SmartLifecycle first() {
			return new Step("first phase", SmartLifecycle.DEFAULT_PHASE);
		}

		@Bean
		SmartLifecycle webServers() {
			return new Step("web server's phase", WEB_SERVER);
		}

		/** Notes when it is stopped. */
		private final class Step implements SmartLifecycle {

			private final String name;

			private final int phase;

			private volatile boolean running;

			Step(String name, int phase) {
				this.name = name;
				this.phase = phase;
			}

			@Override
			public int getPhase() {
				return this.phase;
			}

			@Override
			public void start() {
				this.running = true;
			}

			@Override
			public void stop() {
				StopsInOrder.this.steps.add(this.name);
				this.running = false;
			}

			@Override
			public boolean isRunning() {
				return this.running;
			}

		}

	}

}
