package io.github.zklock.internal.client;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.DelegatingLockHandle;
import io.github.zklock.LockClient;
import io.github.zklock.LockContext;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUpgradeException;
import io.github.zklock.LostReason;
import io.github.zklock.internal.client.HoldInterleavingTests.MemoryLocalGrant;
import io.github.zklock.internal.cohort.EndlessGrant;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.spi.Grant;
import io.github.zklock.zookeeper.Engines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What an owner enters again whose first hold of a key goes just then.
 */
class HoldsTests {

	private final Holds holds = new Holds(new StepFailures());

	private final Hold second = new Hold(this.holds, "owner", new MemoryLocalGrant(LockMode.READ));

	@Test
	void i1TheSecondHoldIsEntered() {
		prepare();
		assertThat(this.holds.enter("owner", LockRequest.read("key"))).containsExactly(this.second);
	}

	@ParameterizedTest
	@EnumSource(value = LockMode.class, names = { "EXCLUSIVE", "WRITE" })
	void whoAsksForMoreThanItsSecondHoldIsRefused(LockMode asked) {
		prepare();
		assertThatExceptionOfType(LockUpgradeException.class)
			.isThrownBy(() -> this.holds.enter("owner", LockRequest.exclusive("key").mode(asked)));
	}

	@Test
	void whatNobodyHasAnyMoreIsNotEntered() {
		prepare();
		this.second.exit(LockMode.READ);
		assertThat(this.holds.enter("owner", LockRequest.read("key"))).isEmpty();
	}

	@Test
	void whoIsRefusedOneOfItsKeysLeavesTheOthersInTheModesInWhichItCame() {
		MemoryLocalGrant pears = new MemoryLocalGrant("pears", LockMode.WRITE);
		MemoryLocalGrant apples = new MemoryLocalGrant("apples", LockMode.WRITE);
		for (MemoryLocalGrant localGrant : List.of(pears, apples, new MemoryLocalGrant("plums", LockMode.READ))) {
			this.holds.add(new Hold(this.holds, "owner", localGrant));
		}
		LockRequest request = LockRequest.write("pears")
			.and(LockRequest.read("apples"))
			.and(LockRequest.write("plums"));
		assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(() -> this.holds.enter("owner", request));
		for (MemoryLocalGrant localGrant : List.of(pears, apples)) {
			assertThat(localGrant.downgrades()).isZero();
			this.holds.find(new Holds.Owned("owner", localGrant.key())).exit(LockMode.WRITE);
			assertThat(localGrant.releases()).isOne();
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	@Tag("Hold.I4")
	void theLastHandleLeavesBehindWhatAnEarlierOneLeftBehind(boolean alone) {
		MemoryLocalGrant localGrant = new MemoryLocalGrant(LockMode.EXCLUSIVE);
		Hold hold = new Hold(this.holds, "owner", localGrant);
		hold.enter(LockMode.EXCLUSIVE);
		CompletableFuture<Void> noted = new CompletableFuture<>();
		assertThat(Hold.exitAll(hold.alone(), (i) -> LockMode.EXCLUSIVE, noted)).isNotCompleted();
		assertThat(hold.isLeftAtOnce()).isFalse();
		CompletionStage<Void> gone = alone ? hold.exit(LockMode.EXCLUSIVE, true)
				: Hold.exitAll(hold.alone(), (i) -> LockMode.EXCLUSIVE, CompletableFuture.completedStage(null));
		assertThat(gone).isNotCompleted();
		assertThat(localGrant.releases()).isZero();
		noted.complete(null);
		assertThat(gone).isCompleted();
		assertThat(localGrant.releases()).isOne();
	}

	@Test
	void whatWasLostAndIsAskedForAgainGoesWithItsLastHandle() {
		MemoryLocalGrant localGrant = new MemoryLocalGrant(LockMode.EXCLUSIVE);
		Hold hold = new Hold(this.holds, "owner", localGrant);
		this.holds.add(hold);
		hold.lose(LostReason.SESSION_ENDED);
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.holds.enter("owner", LockRequest.exclusive("key")));
		hold.exit(LockMode.EXCLUSIVE);
		assertThat(localGrant.releases()).isOne();
		assertThat(this.holds.count()).isZero();
	}

	@Test
	void whoAsksForMoreThanAReadThatItHasLostIsNotifiedOfTheLoss() {
		Hold read = new Hold(this.holds, "owner", new MemoryLocalGrant(LockMode.READ));
		this.holds.add(read);
		read.lose(LostReason.SESSION_ENDED);
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.holds.enter("owner", LockRequest.write("key")));
	}

	@Test
	void theGrantsBehindAHandleThatDelegatesAreThoseOfItsKeys() {
		List<String> keys = List.of("apples", "pears", "plums", "figs");
		keys.forEach((key) -> this.holds.add(new Hold(this.holds, "other", new NamedGrant(key))));
		LockHandle delegating = (LockHandle) Proxy.newProxyInstance(LockHandle.class.getClassLoader(),
				new Class<?>[] { LockHandle.class },
				(proxy, method, arguments) -> method.getName().equals("keys") ? keys : 256L);
		assertThat(this.holds.grantsOf(delegating)).extracting(Grant::key).isEqualTo(keys);
	}

	@Test
	void aHandleThatSuppliesOthersIsNoHandleAroundOne() {
		this.holds.add(new Hold(this.holds, "other", new NamedGrant("apples")));
		AtomicInteger supplied = new AtomicInteger();
		LockHandle supplier = (LockHandle) Proxy.newProxyInstance(LockHandle.class.getClassLoader(),
				new Class<?>[] { LockHandle.class, Supplier.class },
				(proxy, method, arguments) -> switch (method.getName()) {
					case "keys" -> List.of("apples");
					case "get" -> supplied.incrementAndGet();
					default -> 256L;
				});
		assertThat(this.holds.grantsOf(supplier)).extracting(Grant::key).containsExactly("apples");
		assertThat(supplied).hasValue(0);
	}

	@Test
	void theGrantsBehindHandlesAroundHandlesAreFoundWithoutALookAtAllThatIsHeld() throws Exception {
		AtomicInteger looks = new AtomicInteger();
		for (int i = 0; i < 5_000; i++) {
			this.holds.add(new Hold(this.holds, "owner " + i, new CountingGrant(looks)));
		}
		Hold mine = new Hold(this.holds, "worker", new MemoryLocalGrant(LockMode.EXCLUSIVE));
		mine.enter(LockMode.EXCLUSIVE);
		this.holds.add(mine);
		LockRequest request = LockRequest.exclusive("key");
		HeldLock lock = new HeldLock(null, request, List.of(mine), DirectReports.to(), (contended, action) -> () -> {
		});
		lock.start(Engines.TIMER);
		LockClient client = (LockClient) Proxy.newProxyInstance(LockClient.class.getClassLoader(),
				new Class<?>[] { LockClient.class },
				(proxy, method, arguments) -> method.isDefault()
						? InvocationHandler.invokeDefault(proxy, method, arguments)
						: new JobHandle(lock, new Unnoted()));
		List<Grant> grants = client.call(request,
				() -> this.holds.grantsOf(new DelegatingLockHandle(LockContext.current()) {
				}));
		assertThat(grants).hasSize(1);
		assertThat(looks).hasValue(0);
	}

	private void prepare() {
		this.holds.add(new Hold(this.holds, "owner", new GoingGrant()));
		this.holds.add(this.second);
	}

	/** Has the token that all have that were granted together. */
	private static final class NamedGrant extends MemoryLocalGrant {

		private NamedGrant(String key) {
			super(key, LockMode.EXCLUSIVE);
		}

		@Override
		public Grant grant() {
			return (Grant) Proxy.newProxyInstance(Grant.class.getClassLoader(), new Class<?>[] { Grant.class },
					(proxy, method, arguments) -> method.getName().equals("key") ? key() : 0);
		}

	}

	private static final class Unnoted implements JobMarks.Run {

		@Override
		public CompletionStage<Void> ended(String outcome, boolean held) {
			return CompletableFuture.completedFuture(null);
		}

		@Override
		public void takeBack() {
		}

	}

	/** Counts how often it is asked for its token, which is nobody else's. */
	private static final class CountingGrant extends MemoryLocalGrant {

		private final AtomicInteger looks;

		private CountingGrant(AtomicInteger looks) {
			super(LockMode.EXCLUSIVE);
			this.looks = looks;
		}

		@Override
		public long token() {
			this.looks.incrementAndGet();
			return 512;
		}

	}

	/** Is found, and left before it is entered. */
	private final class GoingGrant extends MemoryLocalGrant {

		private GoingGrant() {
			super(LockMode.READ);
		}

		@Override
		public Grant grant() {
			HoldsTests.this.holds.find(new Holds.Owned("owner", "key")).exit(LockMode.READ);
			return new EndlessGrant(0);
		}

	}

}
