package io.github.zklock.aop;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import jakarta.annotation.PostConstruct;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.PriorityOrdered;
import org.springframework.core.annotation.AliasFor;
import reactor.core.publisher.Mono;

import io.github.zklock.DistributedLock;
import io.github.zklock.LeaderElection;
import io.github.zklock.LeaderOnly;
import io.github.zklock.LockClient;
import io.github.zklock.LockContext;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.OnBusy;
import io.github.zklock.memory.MemoryLockClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What {@code @LeaderOnly} promises.
 */
@ExtendWith(OutputCaptureExtension.class)
class LeaderOnlyTests {

	private static final String KEY = LeaderElection.key("billing");

	private final LockedBeans beans = LockedBeans.of(Map.of("election.name", "billing"), Billing.class,
			BillingElection.class);

	private final Billing billing = this.beans.get(Billing.class);

	private final BillingElection election = this.beans.get(BillingElection.class);

	@AfterEach
	void closeContext() {
		this.beans.close();
	}

	private void lead() {
		this.election.stand();
		Awaitility.await().until(this.election::isLeader);
	}

	@Test
	void aMethodRunsOnTheLeaderWithTheTermAsItsToken() {
		lead();
		assertThat(this.billing.token()).isEqualTo(this.election.term().getAsLong());
		assertThat(this.beans.client().requests()).isEmpty();
		assertThat(this.election.isLeader()).isTrue();
	}

	@Test
	void theOthersSkipItAndReturnTheEmptyValue() {
		assertThat(this.billing.token()).isNull();
		assertThat(this.billing.optional()).isEmpty();
		assertThat(this.billing.future(new CompletableFuture<>()).join()).isNull();
		assertThat(this.billing.mono().blockOptional()).isEmpty();
		this.billing.nothing();
		assertThat(this.billing.runs()).isZero();
		assertThat(this.beans.client().requests()).isEmpty();
	}

	@Test
	void theOthersThrowIfThatIsSaid() {
		assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(this.billing::orThrow)
			.withMessage("This instance does not lead the election 'billing'");
		assertThat(this.billing.futureOrThrow()).isCompletedExceptionally();
		Mono<String> failing = this.billing.monoOrThrow();
		assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(failing::block);
		assertThat(this.billing.runs()).isZero();
		lead();
		assertThat(this.billing.orThrow()).isOne();
		assertThat(this.billing.futureOrThrow()).isCompletedWithValue("run");
		assertThat(failing.block()).isEqualTo("run");
	}

	@Test
	void aFutureIsWorkOfTheLeaderUntilItIsComplete() {
		lead();
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = this.billing.future(work);
		CompletableFuture<Void> withdrawn = this.election.withdraw();
		assertThat(result).isNotDone();
		assertThat(withdrawn).isNotDone();
		work.complete("done");
		assertThat(result).isCompletedWithValue("done");
		withdrawn.join();
	}

	@Test
	void aPublisherAsksAtEachSubscription() {
		Mono<String> publisher = this.billing.mono();
		assertThat(publisher.blockOptional()).isEmpty();
		lead();
		assertThat(publisher.block()).isEqualTo("run");
		assertThat(publisher.block()).isEqualTo("run");
		assertThat(this.billing.runs()).isEqualTo(2);
		this.election.withdraw().join();
		assertThat(publisher.blockOptional()).isEmpty();
	}

	@Test
	void anotherInstanceDoesNotLeadWhileTheMethodRuns() {
		lead();
		try (LockClient other = this.election.another()) {
			LeaderElection next = LeaderElection.of(other, "billing", new LeaderElection.Listener() {
			});
			this.billing.during(() -> {
				next.stand();
				assertThat(this.election.withdraw()).isNotDone();
				assertThat(this.election.isLeader()).isFalse();
				assertThat(next.isLeader()).isFalse();
				assertThat(LockContext.current().isHeld()).isTrue();
			});
			Awaitility.await().until(next::isLeader);
			next.withdraw().join();
			next.close();
		}
	}

	@Test
	void aLossDuringTheMethodIsThrownInsteadOfItsResult() {
		lead();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.billing.during(this.election::lose))
			.withMessageContaining("Lock 'leader/billing' was lost while");
	}

	@Test
	void oneLeadersMethodMayCallAnother() {
		lead();
		AtomicInteger inner = new AtomicInteger();
		this.billing.during(() -> inner.set(this.billing.orThrow()));
		assertThat(inner).hasValue(1);
	}

	@Test
	void anAnnotationOfOnesOwnAndAPlaceholderMayNameTheElection() {
		assertThat(this.billing.own()).isNull();
		assertThat(this.billing.placeholder()).isNull();
		lead();
		assertThat(this.billing.own()).isEqualTo("run");
		assertThat(this.billing.placeholder()).isEqualTo("run");
	}

	@Test
	void theKeyIsThatOfTheElectionsLock() {
		lead();
		this.billing.during(() -> assertThat(LockContext.current().keys()).containsExactly(KEY));
	}

	@Test
	void aCallOnTheSameObjectIsWarnedOf(CapturedOutput output) {
		LockedBeans.of(Map.of("election.name", "billing"), CallsItself.class, BillingElection.class).close();
		assertThat(output).contains("CallsItself.run() is called by runAll on the same object");
	}

	private static void assertMistake(Class<?> bean, String problem, String remedy) {
		InvalidLockDefinitionException mistake = LockedBeans.mistake(bean, BillingElection.class);
		assertThat(mistake.getProblem()).startsWith("@LeaderOnly on " + bean.getName()).contains(problem);
		assertThat(mistake.getRemedy()).contains(remedy);
	}

	@Test
	void mistakesAreFoundAtTheStart() {
		assertMistake(Unknown.class, "value = \"biling\" names no leader election",
				"Add it to zk-lock.leader.names, or define a LeaderElection bean");
		assertMistake(Blank.class, "value = \" \" is blank", "Write the name");
		assertMistake(NoProperty.class, "value = \"${no.such.property}\" has a placeholder", "Define the property");
		assertMistake(Primitive.class, "otherwise = \"SKIP\" needs an empty value to return, which int does not have",
				"say otherwise = THROW");
		assertMistake(Private.class, "the method is private", "Make it public");
		assertMistake(Static.class, "the method is static", "Remove 'static'");
		assertMistake(Final.class, "the method is final", "Remove 'final'");
		assertMistake(FinalType.class, "the class is final", "Remove 'final'");
		assertMistake(Late.class, "which may do its work after the method has returned", "Return a collection");
		assertMistake(Callback.class, "the container calls a @PostConstruct method", "Move the work");
		assertMistake(Twice.class, "it is there more than once", "Use one annotation");
		assertMistake(Early.class, "is created before Spring makes proxies", "Break that dependency");
	}

	@Test
	void anElectionOfAnotherNameIsNotFoundByThatOfItsBean() {
		assertThat(LockedBeans.mistake(Unknown.class, BilingLeaderElection.class).getProblem())
			.contains("value = \"biling\" names no leader election");
	}

	static class Billing {

		private final AtomicInteger runs = new AtomicInteger();

		public int runs() {
			return this.runs.get();
		}

		private String run() {
			this.runs.incrementAndGet();
			return "run";
		}

		@LeaderOnly("billing")
		public Long token() {
			run();
			return LockContext.current().fencingToken();
		}

		@LeaderOnly("billing")
		public void nothing() {
			run();
		}

		@LeaderOnly("billing")
		public void during(Runnable work) {
			work.run();
		}

		@LeaderOnly("billing")
		public Optional<String> optional() {
			return Optional.of(run());
		}

		@LeaderOnly("billing")
		public CompletableFuture<String> future(CompletableFuture<String> work) {
			run();
			return work;
		}

		@LeaderOnly("billing")
		public Mono<String> mono() {
			return Mono.fromCallable(this::run);
		}

		@LeaderOnly(value = "billing", otherwise = OnBusy.THROW)
		public int orThrow() {
			run();
			return 1;
		}

		@LeaderOnly(value = "billing", otherwise = OnBusy.THROW)
		public CompletableFuture<String> futureOrThrow() {
			return CompletableFuture.completedFuture(run());
		}

		@LeaderOnly(value = "billing", otherwise = OnBusy.THROW)
		public Mono<String> monoOrThrow() {
			return Mono.fromCallable(this::run);
		}

		@OwnLeader(election = "billing")
		public String own() {
			return run();
		}

		@LeaderOnly("${election.name}")
		public String placeholder() {
			return run();
		}

	}

	/** A bean of the user's, without any server. */
	static class BillingElection implements LeaderElection {

		private final String root = "/leader-" + UUID.randomUUID();

		private final MemoryLockClient client = MemoryLockClient.builder().root(this.root).build();

		private final LeaderElection delegate = LeaderElection.of(this.client, "billing", new Listener() {
		});

		LockClient another() {
			return MemoryLockClient.builder().root(this.root).build();
		}

		void lose() {
			LockHandle work = LockContext.current();
			this.client.inspector().forceRelease(KEY);
			Awaitility.await().until(() -> !work.isHeld());
		}

		@Override
		public String name() {
			return this.delegate.name();
		}

		@Override
		public boolean isLeader() {
			return this.delegate.isLeader();
		}

		@Override
		public OptionalLong term() {
			return this.delegate.term();
		}

		@Override
		public Optional<LockHandle> enter() {
			return this.delegate.enter();
		}

		@Override
		public void stand() {
			this.delegate.stand();
		}

		@Override
		public void yield() {
			this.delegate.yield();
		}

		@Override
		public CompletableFuture<Void> withdraw() {
			return this.delegate.withdraw();
		}

		@Override
		public void close() {
			this.delegate.close();
			this.client.close();
		}

	}

	@LeaderOnly("")
	@Retention(RetentionPolicy.RUNTIME)
	@interface OwnLeader {

		@AliasFor(annotation = LeaderOnly.class, attribute = "value")
		String election();

	}

	static class CallsItself {

		public void runAll() {
			run();
		}

		@LeaderOnly("billing")
		public void run() {
		}

	}

	static class BilingLeaderElection extends BillingElection {

	}

	static class Unknown {

		@LeaderOnly("biling")
		public void run() {
		}

	}

	static class Blank {

		@LeaderOnly(" ")
		public void run() {
		}

	}

	static class NoProperty {

		@LeaderOnly("${no.such.property}")
		public void run() {
		}

	}

	static class Primitive {

		@LeaderOnly("billing")
		public int run() {
			return 1;
		}

	}

	static class Private {

		@SuppressWarnings("UnusedMethod")
		@LeaderOnly("billing")
		private void run() {
		}

	}

	static class Static {

		@LeaderOnly("billing")
		public static void run() {
		}

	}

	static class Final {

		@LeaderOnly("billing")
		public final void run() {
		}

	}

	static final class FinalType {

		@LeaderOnly("billing")
		public void run() {
		}

	}

	static class Late {

		@LeaderOnly("billing")
		public Stream<String> run() {
			return Stream.of("late");
		}

	}

	static class Callback {

		@PostConstruct
		@LeaderOnly("billing")
		public void run() {
		}

	}

	static class Twice {

		@LeaderOnly("billing")
		@DistributedLock(key = "k")
		public void run() {
		}

	}

	static class Early implements BeanPostProcessor, PriorityOrdered {

		@Override
		public int getOrder() {
			return 0;
		}

		@LeaderOnly("billing")
		public void run() {
		}

	}

}
