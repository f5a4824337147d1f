package io.github.zklock;

import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.fixture.BrokenLog;
import io.github.zklock.fixture.Terms;
import io.github.zklock.internal.concurrent.Unstartable;
import io.github.zklock.testing.Warnings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * What an election makes of answers that come late, or in a bad moment: its client gives
 * the answers that the test has for it.
 */
@Timeout(30)
@SuppressWarnings("FutureReturnValueIgnored") // what is awaited is seen otherwise
class LockElectionTests {

	private final ScriptedClient client = new ScriptedClient();

	private final Terms terms = new Terms();

	private final LeaderElection election = LeaderElection.of(this.client, "billing", this.terms);

	private Warnings warnings;

	@BeforeEach
	void watchTheLog() {
		this.warnings = new Warnings();
	}

	@AfterEach
	void closeTheElection() {
		this.election.close();
		this.warnings.close();
	}

	private CompletableFuture<LockHandle> awaitRequest(int count) {
		await().until(() -> this.client.answers.size() >= count);
		assertThat(this.client.answers).hasSize(count);
		return this.client.answers.get(count - 1);
	}

	private ScriptedHandle lead(int request, long term) {
		ScriptedHandle handle = new ScriptedHandle(term);
		awaitRequest(request).complete(handle);
		await().until(() -> this.terms.granted().contains(term));
		return handle;
	}

	@Test
	void whatIsAskedForIsFairAndHasNoEnd() {
		this.election.stand();
		awaitRequest(1);
		LockRequest request = this.client.requests.get(0);
		assertThat(request.keys()).containsExactly("leader/billing").containsExactly(LeaderElection.key("billing"));
		assertThat(request.strategy()).isEqualTo("sequential");
		assertThat(request.mode()).isEqualTo(LockMode.EXCLUSIVE);
		assertThat(request.timeout()).isGreaterThan(Duration.ofDays(365_000));
		assertThat(request.owner()).isNull();
		assertThat(request.template()).isEqualTo("leader/billing");
	}

	@Test
	void aNameThatSaysNothingIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> LeaderElection.of(this.client, " ", this.terms));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> LeaderElection.of(this.client, "x".repeat(1020), this.terms));
	}

	@Test
	@Tag("LockElection.I6")
	void aRequestThatFailsIsMadeAgainAlthoughThatCannotBeLogged() {
		try (BrokenLog log = new BrokenLog(LockElection.class)) {
			assertThat(log.isStarted()).isTrue();
			this.election.stand();
			awaitRequest(1).completeExceptionally(new LockUnavailableException("planted"));
			lead(2, 7);
		}
	}

	@Test
	@Tag("LockElection.I2")
	void aLeaderGivesItsLockBackAlthoughWhatItsListenerThrowsCannotBeLogged() {
		LeaderElection failing = LeaderElection.of(this.client, "billing", new LeaderElection.Listener() {

			@Override
			public void revoked(long term) {
				throw new IllegalStateException("planted");
			}

		});
		try (BrokenLog log = new BrokenLog(LockElection.class); failing) {
			assertThat(log.isStarted()).isTrue();
			failing.stand();
			ScriptedHandle handle = new ScriptedHandle(1);
			awaitRequest(1).complete(handle);
			await().until(failing::isLeader);
			failing.yield();
			// The log's failure ends the thread, and the next step has another one
			await().dontCatchUncaughtExceptions().until(() -> handle.releases.get() == 1);
			handle.gone.complete(null);
			await().dontCatchUncaughtExceptions().until(() -> this.client.answers.size() == 2);
		}
	}

	@Test
	void i1AGrantBehindTheWithdrawalIsReleased() {
		this.client.cancelLate = true;
		this.election.stand();
		CompletableFuture<LockHandle> answer = awaitRequest(1);
		this.election.withdraw();
		ScriptedHandle late = new ScriptedHandle(1);
		answer.complete(late);
		await().until(() -> !late.isHeld());
		assertThat(this.election.isLeader()).isFalse();
		assertThat(this.terms.granted()).isEmpty();
	}

	@Test
	void i7AWithdrawalEndsBehindTheReleaseOfALateGrant() throws Exception {
		this.client.cancelLate = true;
		this.election.stand();
		CompletableFuture<LockHandle> answer = awaitRequest(1);
		CompletableFuture<Void> withdrawn = this.election.withdraw();
		CompletableFuture<Void> again = this.election.withdraw();
		ScriptedHandle late = new ScriptedHandle(1);
		CompletableFuture<Boolean> heldAtTheEnd = withdrawn.thenApply((nothing) -> late.isHeld());
		assertThat(withdrawn).isNotDone();
		assertThat(again).isNotDone();
		answer.complete(late);
		assertThat(heldAtTheEnd.get(20, TimeUnit.SECONDS)).isFalse();
		again.get(20, TimeUnit.SECONDS);
		assertThat(this.election.withdraw()).isDone();
	}

	@Test
	void i1AGrantBehindTheEndIsReleased() {
		this.client.cancelLate = true;
		this.election.stand();
		CompletableFuture<LockHandle> answer = awaitRequest(1);
		this.election.close();
		ScriptedHandle late = new ScriptedHandle(1);
		answer.complete(late);
		await().until(() -> !late.isHeld());
		assertThat(this.terms.granted()).isEmpty();
	}

	@Test
	void i1ARequestThatIsNotWantedAnyMoreIsCancelled() {
		this.election.stand();
		CompletableFuture<LockHandle> answer = awaitRequest(1);
		this.election.yield();
		assertThat(answer).isNotDone();
		this.election.withdraw();
		// Also where the election had not yet got the future from its client
		await().until(answer::isCancelled);
	}

	@Test
	void i1ARequestThatIsMadeTooLateIsCancelled() {
		this.client.whileAsking = this.election::close;
		this.election.stand();
		await().until(() -> awaitRequest(1).isCancelled());
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void i2ATermThatWasOverBeforeItWasNotifiedOfIsNotMentioned(boolean reported) {
		this.election.stand();
		ScriptedHandle dead = new ScriptedHandle(1);
		dead.leaseIsOver = true;
		if (reported) {
			dead.lose();
		}
		awaitRequest(1).complete(dead);
		await().until(() -> reported || dead.isWatched());
		dead.lose();
		awaitRequest(2);
		assertThat(this.terms.granted()).isEmpty();
		assertThat(this.terms.revoked()).isEmpty();
		assertThat(dead.releases).hasValue(1);
		lead(2, 2);
		assertThat(this.terms.granted()).containsExactly(2L);
	}

	@Test
	void i2ALossDuringTheNotificationIsNotifiedBehindIt() throws InterruptedException {
		CountDownLatch inside = new CountDownLatch(1);
		CountDownLatch mayReturn = new CountDownLatch(1);
		List<String> notified = new CopyOnWriteArrayList<>();
		LeaderElection slow = LeaderElection.of(this.client, "slow", new LeaderElection.Listener() {
			@Override
			public void granted(long term) {
				inside.countDown();
				await().until(() -> mayReturn.getCount() == 0);
				notified.add("granted " + term);
			}

			@Override
			public void revoked(long term) {
				notified.add("revoked " + term);
			}
		});
		slow.stand();
		ScriptedHandle handle = new ScriptedHandle(1);
		awaitRequest(1).complete(handle);
		assertThat(inside.await(20, TimeUnit.SECONDS)).isTrue();
		handle.lose();
		assertThat(slow.isLeader()).isFalse();
		assertThat(this.client.answers).hasSize(1);
		mayReturn.countDown();
		awaitRequest(2);
		assertThat(notified).containsExactly("granted 1", "revoked 1");
		slow.close();
	}

	@Test
	void theHandleOfWorkDelegatesToThatOfTheLock() {
		this.election.stand();
		ScriptedHandle handle = lead(1, 1);
		LockHandle work = this.election.enter().orElseThrow();
		assertThat(work).isInstanceOfSatisfying(DelegatingLockHandle.class,
				(delegating) -> assertThat(delegating.delegate()).isSameAs(handle));
		work.release();
	}

	@Test
	void i3aLossDoesNotReleaseUnderTheWorkThatRuns() {
		this.election.stand();
		ScriptedHandle handle = lead(1, 1);
		LockHandle work = this.election.enter().orElseThrow();
		AtomicInteger lost = new AtomicInteger();
		work.onLost(lost::incrementAndGet);
		handle.lose();
		assertThat(lost).hasValue(1);
		assertThat(work.isHeld()).isFalse();
		await().until(() -> this.terms.revoked().size() == 1);
		assertThat(handle.releases).hasValue(0);
		assertThat(this.client.answers).hasSize(1);
		work.release();
		awaitRequest(2);
		assertThat(handle.releases).hasValue(1);
	}

	@Test
	@Tag("LeaderTerm.I1")
	void workWhoseReleaseFindsTooLittleStackHasNotEnded() throws Exception {
		this.election.stand();
		ScriptedHandle handle = lead(1, 1);
		LockHandle work = this.election.enter().orElseThrow();
		AtomicInteger lost = new AtomicInteger();
		work.onLost(lost::incrementAndGet);
		CompletableFuture<Void> withdrawn = this.election.withdraw();
		await().until(() -> this.terms.revoked().size() == 1 && this.terms.isQuiet());
		handle.stackIsAtItsEnd = true;
		assertThatExceptionOfType(StackOverflowError.class).isThrownBy(work::release);
		assertThat(work.isHeld()).isTrue();
		assertThat(withdrawn).isNotDone();
		handle.stackIsAtItsEnd = false;
		work.release();
		assertThat(handle.releases).hasValue(1);
		withdrawn.get(20, TimeUnit.SECONDS);
		handle.lose();
		assertThat(lost).hasValue(0);
	}

	@Test
	@Tag("LeaderTerm.I2")
	void workWhoseReleaseFindsTooLittleStackIsNotifiedOfALossMeanwhile() {
		this.election.stand();
		ScriptedHandle handle = lead(1, 1);
		LockHandle work = this.election.enter().orElseThrow();
		AtomicInteger lost = new AtomicInteger();
		work.onLost(lost::incrementAndGet);
		this.election.withdraw();
		await().until(() -> this.terms.revoked().size() == 1 && this.terms.isQuiet());
		handle.stackIsAtItsEnd = true;
		handle.atItsEnd = handle::lose;
		assertThatExceptionOfType(StackOverflowError.class).isThrownBy(work::release);
		assertThat(lost).hasValue(1);
		handle.stackIsAtItsEnd = false;
		work.release();
		assertThat(handle.releases).hasValue(1);
		assertThat(lost).hasValue(1);
	}

	@Test
	void i1AnAskEndsTheTermThatItWasMeantFor() {
		this.election.stand();
		ScriptedHandle handle = lead(1, 1);
		handle.contended.accept(caller(null));
		assertThat(this.election.isLeader()).as("another candidate waits").isTrue();
		handle.contended.accept(caller("a deployment"));
		assertThat(this.election.isLeader()).isFalse();
		await().until(() -> handle.releases.get() == 1);
		assertThat(this.terms.revoked()).containsExactly(1L);
		handle.gone.complete(null);
		lead(2, 2);
		handle.contended.accept(caller("a deployment"));
		assertThat(this.election.isLeader()).as("an old ask").isTrue();
	}

	private static WaitingCaller caller(String reason) {
		return new WaitingCaller("leader/billing", LockMode.EXCLUSIVE, "other", "host", "1", null, null, reason);
	}

	@Test
	void aHandleThatCannotBeAskedLeads() {
		this.election.stand();
		ScriptedHandle handle = new ScriptedHandle(1);
		handle.contended = null;
		awaitRequest(1).complete(handle);
		await().until(() -> this.terms.granted().contains(1L));
		assertThat(this.election.isLeader()).isTrue();
	}

	@Test
	void i4TheNextRequestWaitsForTheServers() {
		this.election.stand();
		ScriptedHandle handle = lead(1, 1);
		this.election.yield();
		await().until(() -> handle.releases.get() == 1);
		assertThat(this.election.withdraw()).succeedsWithin(Duration.ofSeconds(20));
		this.election.stand();
		assertThat(this.client.answers).hasSize(1);
		handle.gone.complete(null);
		awaitRequest(2);
	}

	@Test
	void i5NothingIsLedBeforeAnyReportOfALoss() {
		this.election.stand();
		ScriptedHandle handle = lead(1, 1);
		assertThat(this.election.isLeader()).isTrue();
		assertThat(this.election.term()).hasValue(1);
		handle.leaseIsOver = true;
		assertThat(this.election.isLeader()).isFalse();
		assertThat(this.election.term()).isEmpty();
		assertThat(this.election.enter()).isEmpty();
	}

	@Test
	@Tag("LeaderTerm.I2")
	void workThatBeginsWhileTheLockIsLostIsNotified() {
		ScriptedHandle handle = new ScriptedHandle(1);
		LeaderTerm term = new LeaderTerm(handle);
		LockHandle before = term.enter().orElseThrow();
		AtomicInteger lost = new AtomicInteger();
		before.onLost(lost::incrementAndGet);
		handle.lose();
		term.lost();
		term.lost();
		assertThat(lost).hasValue(1);
		LockHandle behind = term.enter().orElseThrow();
		behind.onLost(lost::incrementAndGet);
		assertThat(lost).hasValue(2);
		before.release();
		before.onLost(lost::incrementAndGet);
		assertThat(lost).hasValue(3);
	}

	@Test
	void workThatHasEndedBeforeTheLossIsNotNotified() {
		ScriptedHandle handle = new ScriptedHandle(1);
		LeaderTerm term = new LeaderTerm(handle);
		LockHandle work = term.enter().orElseThrow();
		AtomicInteger lost = new AtomicInteger();
		work.onLost(lost::incrementAndGet);
		work.release();
		handle.lose();
		term.lost();
		work.onLost(lost::incrementAndGet);
		assertThat(lost).hasValue(0);
	}

	@Test
	void workThatEndsBetweenTheLossAndItsNotificationIsNotified() {
		ScriptedHandle handle = new ScriptedHandle(1);
		LeaderTerm term = new LeaderTerm(handle);
		LockHandle first = term.enter().orElseThrow();
		LockHandle second = term.enter().orElseThrow();
		AtomicInteger lost = new AtomicInteger();
		for (LockHandle work : List.of(first, second)) {
			work.onLost(() -> {
				lost.incrementAndGet();
				first.release();
				second.release();
			});
		}
		handle.lose();
		term.lost();
		assertThat(lost).hasValue(2);
	}

	@Test
	void workThatEndsBeforeTheTermKnowsOfTheLossIsNotified() {
		ScriptedHandle handle = new ScriptedHandle(1);
		LeaderTerm term = new LeaderTerm(handle);
		LockHandle work = term.enter().orElseThrow();
		AtomicInteger lost = new AtomicInteger();
		work.onLost(lost::incrementAndGet);
		handle.lose();
		work.release();
		assertThat(lost).hasValue(1);
		work.onLost(lost::incrementAndGet);
		assertThat(lost).as("asked for behind its release").hasValue(2);
	}

	@Test
	@Tag("LeaderTerm.I1")
	@Tag("LeaderTerm.I3")
	void theLastShareReleasesAndNothingIsRemembered() {
		ScriptedHandle handle = new ScriptedHandle(1);
		LeaderTerm term = new LeaderTerm(handle);
		AtomicInteger lost = new AtomicInteger();
		for (int i = 0; i < 100; i++) {
			LockHandle work = term.enter().orElseThrow();
			work.onLost(lost::incrementAndGet);
			work.release();
			work.onLost(lost::incrementAndGet);
			assertThat(work.releaseAsync()).isDone();
		}
		assertThat(term.remembered()).isZero();
		assertThat(handle.lostActions).isEmpty();
		LockHandle last = term.enter().orElseThrow();
		term.exit();
		assertThat(handle.releases).hasValue(0);
		CompletableFuture<Void> gone = last.releaseAsync();
		assertThat(handle.releases).hasValue(1);
		assertThat(gone).isNotDone();
		assertThat(term.enter()).isEmpty();
		handle.gone.complete(null);
		assertThat(gone).isDone();
		handle.lose();
		term.lost();
		assertThat(lost).hasValue(0);
	}

	@Test
	void aCandidateThatYieldsLeavesNothing() {
		LockElection candidate = (LockElection) this.election;
		candidate.stand();
		awaitRequest(1);
		for (int i = 0; i < 100; i++) {
			candidate.yield();
		}
		assertThat(candidate.waiting()).isZero();
	}

	@Test
	void i6AnyFailureIsFollowedByAnotherRequest() {
		this.election.stand();
		awaitRequest(1).completeExceptionally(new LockUnavailableException("away"));
		CompletableFuture<LockHandle> second = awaitRequest(2);
		this.client.failure = () -> {
			throw new IllegalArgumentException("no such strategy");
		};
		second.cancel(false);
		await().until(() -> this.client.requests.size() >= 3);
		this.client.failure = () -> CompletableFuture.failedFuture(new StackOverflowError());
		await().until(() -> this.client.requests.size() > 3);
		this.client.failure = null;
		lead(3, 7);
		assertThat(this.election.term()).hasValue(7);
		assertThat(this.warnings.messages()).containsOnlyOnce("cannot stand for election 'billing'");
	}

	@Test
	@Tag("ElectionThread.I1")
	void whereNoThreadCanBeMadeStepsAreRunLater() {
		AtomicInteger refused = new AtomicInteger();
		LockElection starved = new LockElection(this.client, "billing", this.terms,
				(task) -> (refused.getAndDecrement() > 0) ? new Unstartable(task) : new Thread(task, "zk-lock-leader"));
		refused.set(2);
		starved.stand();
		CompletableFuture<LockHandle> answer = awaitRequest(1);
		refused.set(2);
		ScriptedHandle handle = new ScriptedHandle(1);
		answer.complete(handle);
		await().until(() -> this.terms.granted().contains(1L));
		refused.set(2);
		CompletableFuture<Void> withdrawn = starved.withdraw();
		await().until(() -> handle.releases.get() == 1);
		handle.gone.complete(null);
		assertThat(withdrawn).succeedsWithin(Duration.ofSeconds(20));
		assertThat(starved.isLeader()).isFalse();
		assertThat(this.warnings.messages()).contains("No thread can be made for the election 'billing'");
	}

	@Test
	void i2ALeaderThatCannotBeAskedToGiveUpIsAnnouncedAllTheSame() {
		this.election.stand();
		ScriptedHandle handle = new ScriptedHandle(1);
		handle.stackIsAtItsEnd = true;
		awaitRequest(1).complete(handle);
		await().until(() -> this.terms.granted().contains(1L));
		assertThat(this.warnings.messages()).contains("cannot be asked to give up leadership in this term");
		handle.stackIsAtItsEnd = false;
	}

	@Test
	void i3ALockWhoseReleaseFailsIsReleasedLater() {
		this.election.stand();
		ScriptedHandle handle = lead(1, 1);
		handle.stackIsAtItsEnd = true;
		CompletableFuture<Void> withdrawn = this.election.withdraw();
		await().until(() -> this.warnings.messages().contains("is released later"));
		assertThat(withdrawn).isNotDone();
		handle.stackIsAtItsEnd = false;
		assertThat(withdrawn).succeedsWithin(Duration.ofSeconds(20));
		assertThat(handle.releases).hasValue(1);
		handle.gone.complete(null);
		this.election.stand();
		awaitRequest(2);
	}

	@Test
	void i3ALockWhoseReleaseFailsIsReleasedLaterAlthoughThatCannotBeLogged() {
		this.election.stand();
		ScriptedHandle handle = lead(1, 1);
		try (BrokenLog log = new BrokenLog(LockElection.class)) {
			handle.stackIsAtItsEnd = true;
			CompletableFuture<Void> withdrawn = this.election.withdraw();
			await().dontCatchUncaughtExceptions().until(() -> log.refused() > 0);
			handle.stackIsAtItsEnd = false;
			assertThat(withdrawn).succeedsWithin(Duration.ofSeconds(20));
			assertThat(handle.releases).hasValue(1);
			handle.gone.complete(null);
		}
	}

	@Test
	void eachWithdrawalEndsWithTheLastWork() {
		this.election.stand();
		lead(1, 1);
		LockHandle work = this.election.enter().orElseThrow();
		CompletableFuture<Void> first = this.election.withdraw();
		CompletableFuture<Void> second = this.election.withdraw();
		assertThat(first).isNotDone();
		assertThat(second).isNotDone();
		work.release();
		assertThat(first).succeedsWithin(Duration.ofSeconds(20));
		assertThat(second).succeedsWithin(Duration.ofSeconds(20));
	}

	@Test
	void whoYieldsBehindItsWithdrawalIsNoCandidate() {
		this.election.stand();
		ScriptedHandle handle = lead(1, 1);
		LockHandle work = this.election.enter().orElseThrow();
		this.election.withdraw();
		this.election.yield();
		work.release();
		handle.gone.complete(null);
		await().during(Duration.ofMillis(300)).until(() -> this.client.answers.size() == 1);
	}

	@Test
	void whoStandsBehindItsEndIsRefusedAndNoCandidate() {
		this.election.stand();
		ScriptedHandle handle = lead(1, 1);
		LockHandle work = this.election.enter().orElseThrow();
		this.election.close();
		assertThatIllegalStateException().isThrownBy(this.election::stand).withMessageContaining("is closed");
		work.release();
		handle.gone.complete(null);
		await().during(Duration.ofMillis(300)).until(() -> this.client.answers.size() == 1);
	}

	@Test
	void whoIsInterruptedWhileItClosesStaysInterrupted() {
		this.election.stand();
		lead(1, 1);
		LockHandle work = this.election.enter().orElseThrow();
		Thread.currentThread().interrupt();
		this.election.close();
		assertThat(Thread.interrupted()).isTrue();
		work.release();
	}

	@Test
	void itsThreadKeepsNoApplicationRunningAndFindsItsClasses() throws Exception {
		Thread asker = Thread.currentThread();
		ClassLoader before = asker.getContextClassLoader();
		try (URLClassLoader loader = new URLClassLoader(new URL[0], before)) {
			asker.setContextClassLoader(loader);
			ThreadFactory threads = ElectionThread.daemons("billing");
			asker.setContextClassLoader(before);
			Thread made = threads.newThread(() -> {
			});
			assertThat(made.isDaemon()).isTrue();
			assertThat(made.getContextClassLoader()).isSameAs(loader);
		}
		finally {
			asker.setContextClassLoader(before);
		}
	}

	@Test
	void i2WhatIsDoneBehindAWithdrawalHoldsUpNeitherTheElectionNorTheLastWork() throws Exception {
		this.election.stand();
		ScriptedHandle handle = lead(1, 1);
		LockHandle work = this.election.enter().orElseThrow();
		CountDownLatch mayReturn = new CountDownLatch(1);
		CompletableFuture<Boolean> behind = this.election.withdraw().thenApply((nothing) -> returnsIn(mayReturn));
		await().until(() -> this.terms.revoked().size() == 1);
		Thread worker = new Thread(work::release);
		worker.start();
		worker.join(20_000);
		assertThat(worker.isAlive()).isFalse();
		handle.gone.complete(null);
		this.election.stand();
		awaitRequest(2);
		assertThat(behind).isNotDone();
		mayReturn.countDown();
		assertThat(behind).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(true);
	}

	@Test
	void aWithdrawalEndsAlthoughTheCommonPoolIsBusy() {
		CountDownLatch mayReturn = new CountDownLatch(1);
		try {
			for (int i = 0; i < ForkJoinPool.getCommonPoolParallelism(); i++) {
				ForkJoinPool.commonPool().execute(() -> returnsIn(mayReturn));
			}
			this.election.stand();
			lead(1, 1);
			LockHandle work = this.election.enter().orElseThrow();
			CompletableFuture<String> behind = this.election.withdraw()
				.thenApply((nothing) -> Thread.currentThread().getName());
			work.release();
			// Where the pool has a single thread, futures make one for each task
			assertThat(behind).succeedsWithin(Duration.ofSeconds(20)).isEqualTo("zk-lock-leader-billing");
		}
		finally {
			mayReturn.countDown();
		}
	}

	@Test
	void aWithdrawalEndsAlthoughNoThreadCanBeMadeForIt() {
		AtomicBoolean refusing = new AtomicBoolean();
		LockElection starved = new LockElection(this.client, "billing", this.terms,
				(task) -> refusing.getAndSet(false) ? new Unstartable(task) : new Thread(task, "zk-lock-leader"));
		starved.stand();
		lead(1, 1);
		LockHandle work = starved.enter().orElseThrow();
		CompletableFuture<String> behind = starved.withdraw().thenApply((nothing) -> Thread.currentThread().getName());
		await().until(() -> this.terms.revoked().size() == 1 && this.terms.isQuiet());
		refusing.set(true);
		work.release();
		assertThat(behind).succeedsWithin(Duration.ofSeconds(20)).isEqualTo("zk-lock-leader");
	}

	@Test
	void theListenersThreadIsKnown() {
		List<Boolean> known = new CopyOnWriteArrayList<>();
		AtomicReference<LeaderElection> self = new AtomicReference<>();
		LeaderElection asked = LeaderElection.of(this.client, "asked", new LeaderElection.Listener() {
			@Override
			public void granted(long term) {
				known.add(self.get().isListenerThread());
			}
		});
		self.set(asked);
		asked.stand();
		awaitRequest(1).complete(new ScriptedHandle(1));
		await().until(() -> known.size() == 1);
		assertThat(known).containsExactly(true);
		assertThat(asked.isListenerThread()).isFalse();
		asked.close();
	}

	private static boolean returnsIn(CountDownLatch mayReturn) {
		try {
			return mayReturn.await(40, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void i6NothingIsAskedForBehindTheEnd() throws Exception {
		this.client.failure = () -> CompletableFuture.failedFuture(new LockUnavailableException("closed"));
		this.election.stand();
		await().until(() -> asked("leader/billing") >= 3);
		this.election.withdraw().get(20, TimeUnit.SECONDS);
		LeaderElection other = LeaderElection.of(this.client, "other", this.terms);
		other.stand();
		await().until(() -> asked("leader/other") >= 1);
		long before = asked("leader/billing");
		await().until(() -> asked("leader/other") >= 4);
		assertThat(asked("leader/billing")).isEqualTo(before);
		other.close();
	}

	@Test
	void i6i7AClientThatReturnsNothingHasFailed() throws Exception {
		this.client.failure = () -> null;
		this.election.stand();
		await().until(() -> asked("leader/billing") >= 2);
		this.election.withdraw().get(20, TimeUnit.SECONDS);
		assertThat(this.warnings.messages()).contains("cannot stand for election 'billing'");
	}

	private long asked(String key) {
		return this.client.requests.stream().filter((request) -> request.keys().contains(key)).count();
	}

	@Test
	void handlesSayWhatTheyAre() {
		this.election.stand();
		lead(1, 5);
		LockHandle work = this.election.enter().orElseThrow();
		assertThat(work.key()).isEqualTo("leader/billing");
		assertThat(work.keys()).containsExactly("leader/billing");
		assertThat(work.mode()).isEqualTo(LockMode.EXCLUSIVE);
		assertThat(work.fencingToken()).isEqualTo(work.fencingToken("leader/billing")).isEqualTo(5);
		assertThat(work).hasToString("LockHandle[keys=[leader/billing], fencingToken=5, held=true]");
		assertThat(this.election).hasToString("LeaderElection[billing, leader=true]");
		assertThat(this.election.name()).isEqualTo("billing");
		work.release();
	}

	@Test
	void workDoesNothingToTheLockThatOutlivesIt() {
		this.election.stand();
		lead(1, 5);
		LockHandle work = this.election.enter().orElseThrow();
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> work.onContended((waiter) -> {
		})).withMessage("This handle of [leader/billing] does not know who waits");
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(work::downgrade)
			.withMessage("This handle of [leader/billing] cannot be downgraded");
		work.failed(new IllegalStateException("planted"));
		work.ended();
		work.release();
	}

	/** Gives the answers that the test has for it. */
	private static final class ScriptedClient implements LockClient {

		private final List<LockRequest> requests = new CopyOnWriteArrayList<>();

		private final List<CompletableFuture<LockHandle>> answers = new CopyOnWriteArrayList<>();

		private volatile boolean cancelLate;

		private volatile Runnable whileAsking = () -> {
		};

		private volatile Supplier<CompletableFuture<LockHandle>> failure;

		@Override
		public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
			this.requests.add(request);
			this.whileAsking.run();
			Supplier<CompletableFuture<LockHandle>> failing = this.failure;
			if (failing != null) {
				return failing.get();
			}
			CompletableFuture<LockHandle> answer = new CompletableFuture<>() {
				@Override
				public boolean cancel(boolean mayInterruptIfRunning) {
					return !ScriptedClient.this.cancelLate && super.cancel(mayInterruptIfRunning);
				}
			};
			this.answers.add(answer);
			return answer;
		}

		@Override
		public LockHandle acquire(LockRequest request) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Optional<LockHandle> tryAcquire(LockRequest request) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Lock asLock(String key) {
			throw new UnsupportedOperationException();
		}

		@Override
		public ReadWriteLock asReadWriteLock(String key) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void close() {
			throw new UnsupportedOperationException();
		}

	}

	/** Is lost, and gone, when the test says so. */
	private static final class ScriptedHandle implements LockHandle {

		private final AtomicInteger releases = new AtomicInteger();

		private final CompletableFuture<Void> gone = new CompletableFuture<>();

		private final Queue<Runnable> lostActions = new ArrayDeque<>();

		private final long term;

		private volatile boolean leaseIsOver;

		private volatile boolean stackIsAtItsEnd;

		private volatile Runnable atItsEnd = () -> {
		};

		private volatile Consumer<? super WaitingCaller> contended = (nobody) -> {
		};

		private boolean lost;

		private ScriptedHandle(long term) {
			this.term = term;
		}

		void lose() {
			List<Runnable> actions;
			synchronized (this) {
				this.leaseIsOver = true;
				this.lost = true;
				actions = new ArrayList<>(this.lostActions);
				this.lostActions.clear();
			}
			actions.forEach(Runnable::run);
			this.gone.complete(null);
		}

		synchronized boolean isWatched() {
			return !this.lostActions.isEmpty();
		}

		@Override
		public String key() {
			return "leader/billing";
		}

		@Override
		public List<String> keys() {
			return List.of("leader/billing");
		}

		@Override
		public LockMode mode() {
			return LockMode.WRITE;
		}

		@Override
		public long fencingToken() {
			return this.term;
		}

		@Override
		public boolean isHeld() {
			return !this.leaseIsOver && this.releases.get() == 0;
		}

		@Override
		public void onLost(Runnable action) {
			boolean now;
			synchronized (this) {
				now = this.lost;
				if (!now) {
					this.lostActions.add(action);
				}
			}
			if (now) {
				action.run();
			}
		}

		@Override
		public void onContended(Consumer<? super WaitingCaller> action) {
			if (this.stackIsAtItsEnd) {
				throw new StackOverflowError("scripted");
			}
			if (this.contended == null) {
				throw new UnsupportedOperationException();
			}
			this.contended = action;
		}

		@Override
		public void release() {
			this.releases.incrementAndGet();
		}

		@Override
		public CompletableFuture<Void> releaseAsync() {
			if (this.stackIsAtItsEnd) {
				this.atItsEnd.run();
				throw new StackOverflowError("scripted");
			}
			release();
			return this.gone;
		}

	}

}
