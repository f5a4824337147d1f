package io.github.zklock.shedlock;

import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.LockClient;
import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.aop.InMemoryLockClient;
import io.github.zklock.aop.LockClients;
import io.github.zklock.inspect.JobRun;
import io.github.zklock.testing.Repeat;
import io.github.zklock.testing.ServerFixture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * What ShedLock's own contract leaves open.
 */
@Timeout(120)
class ZkLockProviderTests {

	private static final Duration LONG = Duration.ofMinutes(5);

	/** For a lock that is to be lost, but not before its job has started. */
	private static final Duration LONGER_THAN_A_START = Duration.ofSeconds(2);

	@RegisterExtension
	final ServerFixture zk = ServerFixture.onOneServer();

	private LockClient client;

	private ZkLockProvider provider;

	private LockClient other;

	@BeforeEach
	void open() throws Exception {
		this.client = LockClients.open(this.zk);
		this.provider = new ZkLockProvider(this.client);
		this.other = LockClients.open(this.zk);
		for (LockClient connecting : List.of(this.client, this.other)) {
			connecting.acquire(LockRequest.exclusive("connected")).releaseAsync().join();
		}
	}

	private boolean isFree(String name) {
		LockRequest request = LockRequest.exclusive(name).timeout(Duration.ofMillis(300));
		Optional<LockHandle> handle = Repeat.after(LockUnavailableException.class,
				() -> this.other.tryAcquire(request));
		handle.ifPresent((held) -> held.releaseAsync().join());
		return handle.isPresent();
	}

	// Whoever releases waits for no server
	private void awaitFree(String name) throws InterruptedException {
		this.other.acquire(LockRequest.exclusive(name)).releaseAsync().join();
	}

	private static LockConfiguration job(Duration atMost, Duration atLeast) {
		return new LockConfiguration(Instant.now(), "job", atMost, atLeast);
	}

	private SimpleLock lock(Duration atMost, Duration atLeast) {
		return this.provider.lock(job(atMost, atLeast)).orElseThrow();
	}

	@Test
	void otherInstancesSkip() {
		SimpleLock lock = lock(LONG, Duration.ZERO);
		assertThat(new ZkLockProvider(this.other).lock(job(LONG, Duration.ZERO))).isEmpty();
		lock.unlock();
		SimpleLock next = await()
			.until(() -> new ZkLockProvider(this.other).lock(job(LONG, Duration.ZERO)), Optional::isPresent)
			.orElseThrow();
		next.unlock();
	}

	@Test
	void annotatedMethodsAndJobsOfOneNameExcludeEachOther() throws Exception {
		try (LockHandle handle = this.client.acquire(LockRequest.exclusive("job"))) {
			assertThat(this.provider.lock(job(LONG, Duration.ZERO))).isEmpty();
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@Test
	void boundsMayBeLongerThanAClockCounts() {
		Duration ages = Duration.ofDays(1000 * 365);
		lock(ages, Duration.ZERO).extend(ages, ages).orElseThrow().unlock();
		assertThat(isFree("job")).isFalse();
		this.client.close();
	}

	@Test
	void aFirstRunMayBeForAgesToo() {
		Duration ages = Duration.ofDays(1000 * 365);
		lock(ages, ages).unlock();
		assertThat(isFree("job")).isFalse();
		this.client.close();
	}

	@Test
	void aClientThatRemembersNoRunsGivesLocks() {
		InMemoryLockClient client = new InMemoryLockClient();
		ZkLockProvider forgetting = new ZkLockProvider(client);
		assertThat(forgetting.lock(job(LONG, LONG))).hasValueSatisfying(SimpleLock::unlock);
		assertThat(client.lastRequest().answerTimeout()).isEqualTo(Duration.ofSeconds(5));
		assertThat(forgetting.lock(job(LONG, LONG))).isEmpty();
	}

	// As it is computed from what is left of a bound
	@Test
	void aNegativeLockAtLeastForIsNone() throws InterruptedException {
		Duration before = Duration.ofSeconds(-1);
		lock(LONG, before).extend(LONG, before).orElseThrow().unlock();
		awaitFree("job");
	}

	@Test
	void aLockForNoTimeAtAllIsRefusedByTheNameOfItsBound() throws InterruptedException {
		assertThatIllegalArgumentException().isThrownBy(() -> lock(Duration.ZERO, Duration.ZERO))
			.withMessage("lockAtMostFor of lock 'job' must be positive, but is PT0S");
		SimpleLock lock = lock(LONG, Duration.ZERO);
		assertThatIllegalArgumentException().isThrownBy(() -> lock.extend(Duration.ZERO, Duration.ZERO))
			.withMessage("lockAtMostFor of lock 'job' must be positive, but is PT0S");
		assertThat(isFree("job")).isFalse();
		lock.unlock();
		awaitFree("job");
	}

	@Test
	void unlockAfterLockAtMostForFreesNobodyElse() throws Exception {
		this.zk.announce("lost");
		SimpleLock late = lock(Duration.ofMillis(200), Duration.ZERO);
		try (LockHandle next = this.other.acquire(LockRequest.exclusive("job"))) {
			late.unlock();
			assertThat(next.isHeld()).isTrue();
			assertThat(this.provider.lock(job(LONG, Duration.ZERO))).isEmpty();
		}
	}

	@Test
	void unlockAfterLockAtMostForFreesNoJobOfTheSameProcess() throws InterruptedException {
		this.zk.announce("lost");
		SimpleLock late = lock(Duration.ofMillis(200), Duration.ZERO);
		SimpleLock next = await().until(() -> this.provider.lock(job(LONG, Duration.ZERO)), Optional::isPresent)
			.orElseThrow();
		late.unlock();
		assertThat(isFree("job")).isFalse();
		next.unlock();
		awaitFree("job");
	}

	private JobRun lastRun() throws Exception {
		byte[] mark = this.zk.curatorOf(this.other).getData().forPath(this.zk.root() + "/%~jobs/job");
		return JobRun.parse(new String(mark, StandardCharsets.UTF_8));
	}

	// A warning would fail the test
	@Test
	void lockAtLeastForHoldsAlsoWhenTheInstanceIsGone() throws Exception {
		lock(LONG, LONG).unlock();
		this.client.close();
		awaitFree("job");
		assertThat(lastRun().outcome()).isEqualTo("ended");
		assertThat(this.other.notAgainWithin(LONG, true).tryAcquire(LockRequest.exclusive("job"))).isEmpty();
		assertThat(new ZkLockProvider(this.other).lock(job(LONG, LONG))).isEmpty();
		// The lock for a run that is not due may still be there
		await().until(() -> new ZkLockProvider(this.other).lock(job(LONG, Duration.ZERO)), Optional::isPresent)
			.orElseThrow()
			.unlock();
	}

	@Test
	void aRunHasEndedWithTheUnlockAlthoughTheLockIsKept() throws Exception {
		lock(LONG, LONG).unlock();
		await().untilAsserted(() -> assertThat(lastRun().isOver()).isTrue());
		assertThat(lastRun().outcome()).isEqualTo("ended");
		assertThat(isFree("job")).isFalse();
		this.client.close();
	}

	@Test
	void ofAJobThatMayHaveFailedNothingIsClaimed() throws Exception {
		Duration over = Duration.ofMillis(1);
		assertThatIllegalStateException()
			.isThrownBy(() -> new DefaultLockingTaskExecutor(this.provider).executeWithLock((Runnable) () -> {
				await().until(() -> isOld(over));
				throw new IllegalStateException("planned");
			}, job(LONG, over)));
		await().untilAsserted(() -> assertThat(lastRun().outcome()).isEqualTo("ended"));
	}

	@Test
	void ofAJobWhoseLockIsExtendedNothingIsClaimed() throws Exception {
		lock(LONG, Duration.ofMillis(1)).extend(LONG, Duration.ZERO).orElseThrow().unlock();
		await().untilAsserted(() -> assertThat(lastRun().outcome()).isEqualTo("ended"));
	}

	private boolean isOld(Duration age) throws Exception {
		return lastRun().started().plus(age.multipliedBy(2)).isBefore(Instant.now());
	}

	@Test
	void aLockThatIsLostWhileTheJobRunsIsLostToo() throws Exception {
		this.zk.announce("lost");
		SimpleLock late = lock(LONGER_THAN_A_START, Duration.ofMillis(1));
		await().until(() -> isFree("job"));
		late.unlock();
		await().untilAsserted(() -> assertThat(lastRun().outcome()).isEqualTo("lost"));
	}

	// As if the job's thread had been late, which keeps the lock for lockAtLeastFor
	@Test
	void lockAtLeastForAsLongAsLockAtMostForIsNoLoss() throws Exception {
		Duration both = LONGER_THAN_A_START;
		LockHandle handle = this.client.notAgainWithin(both, false)
			.tryAcquire(LockRequest.exclusive("job").maxHold(both))
			.orElseThrow();
		AtomicBoolean ended = new AtomicBoolean();
		handle.onLost(() -> ended.set(true));
		new ZkSimpleLock(this.provider, job(both, both), new Object(), handle, this.provider.now() + LONG.toNanos())
			.unlock();
		await().untilTrue(ended);
		awaitFree("job");
		assertThat(lastRun().outcome()).isEqualTo("ended");
	}

	@Test
	void aLockThatWasExtendedAndIsKeptAfterTheUnlockIsNotLost() throws InterruptedException {
		lock(LONG, Duration.ZERO).extend(LONG, LONG).orElseThrow().unlock();
		this.client.close();
		awaitFree("job");
	}

	@Test
	void aLockThatIsKeptAfterTheUnlockIsForgottenWhenItIsLost() {
		AtomicReference<Runnable> whenLost = new AtomicReference<>();
		AtomicInteger released = new AtomicInteger();
		LockHandle handle = (LockHandle) Proxy.newProxyInstance(LockHandle.class.getClassLoader(),
				new Class<?>[] { LockHandle.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("onLost")) {
						whenLost.set((Runnable) arguments[0]);
					}
					else if (method.getName().equals("release")) {
						released.incrementAndGet();
					}
					return null;
				});
		new ZkSimpleLock(this.provider, job(LONG, LONG), new Object(), handle, this.provider.now()).unlock();
		assertThat(released).hasValue(0);
		whenLost.get().run();
		await().until(() -> released.get() == 1);
	}

	@Test
	@Tag("slow")
	void lockAtLeastForKeepsTheLockAfterTheUnlock() {
		lock(LONG, Duration.ofSeconds(2)).unlock();
		assertThat(isFree("job")).isFalse();
		await().until(() -> isFree("job"));
	}

	@Test
	@Tag("slow")
	void extendedLockIsHeldWithoutAGap() {
		this.zk.announce("lost");
		SimpleLock lock = lock(LONGER_THAN_A_START, Duration.ZERO);
		long before = System.nanoTime();
		SimpleLock extended = lock.extend(Duration.ofSeconds(4), Duration.ZERO).orElseThrow();
		await().until(() -> isFree("job"));
		assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThanOrEqualTo(Duration.ofSeconds(4));
		assertThat(extended.extend(LONG, Duration.ZERO)).isEmpty();
	}

	@Test
	void aLockThatIsLostWhileItIsBeingExtendedIsNotExtended() throws InterruptedException {
		this.zk.announce("lost");
		AtomicReference<LockHandle> held = new AtomicReference<>();
		LockClient late = (LockClient) Proxy.newProxyInstance(LockClient.class.getClassLoader(),
				new Class<?>[] { LockClient.class }, (proxy, method, arguments) -> {
					await().until(() -> held.get() == null || !held.get().isHeld());
					Optional<LockHandle> handle = this.client.tryAcquire((LockRequest) arguments[0]);
					held.set(handle.orElseThrow());
					return handle;
				});
		SimpleLock lock = new ZkLockProvider(late).lock(job(LONGER_THAN_A_START, Duration.ZERO)).orElseThrow();
		assertThat(lock.extend(LONG, Duration.ZERO)).isEmpty();
		awaitFree("job");
	}

	@Test
	void lockIsUnlockedOnce() {
		SimpleLock lock = lock(LONG, Duration.ZERO);
		lock.unlock();
		assertThatIllegalStateException().isThrownBy(lock::unlock);
	}

	@Test
	void jobIsNotRunWhenZooKeeperCannotBeReached() {
		this.client.close();
		AtomicInteger runs = new AtomicInteger();
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> new DefaultLockingTaskExecutor(this.provider)
				.executeWithLock((Runnable) runs::incrementAndGet, job(LONG, Duration.ZERO)));
		assertThat(runs).hasValue(0);
	}

	@Test
	void aLockThatIsLostBeforeItsJobBeginsIsNotTakenForOneThatOthersHold() {
		LockClient losing = (LockClient) Proxy.newProxyInstance(LockClient.class.getClassLoader(),
				new Class<?>[] { LockClient.class }, (proxy, method, arguments) -> {
					throw new LockLostException("Lock 'job' was lost before its job was started");
				});
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> new ZkLockProvider(losing).lock(job(LONG, Duration.ZERO)));
	}

	@Test
	void interruptIsKept() {
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(LockException.class).isThrownBy(() -> lock(LONG, Duration.ZERO))
			.withMessage("Interrupted while asking for lock 'job'; nothing is held");
		assertThat(Thread.interrupted()).isTrue();
	}

}
