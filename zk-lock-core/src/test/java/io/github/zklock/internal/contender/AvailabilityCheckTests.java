package io.github.zklock.internal.contender;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.StreamSupport;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.LockMode;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.concurrent.Timer;
import io.github.zklock.internal.node.ClientIdentity;
import io.github.zklock.internal.session.LeaseHolder;
import io.github.zklock.testing.Actor;
import io.github.zklock.testing.Stopwatch;
import io.github.zklock.zookeeper.Engines;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a try costs, in a session whose answers come by hand.
 */
class AvailabilityCheckTests extends HandPlayedContender {

	private final AtomicInteger asked = new AtomicInteger();

	private void holdMany() {
		for (int i = 0; i < 10_000; i++) {
			this.session.held().add(new Counting(this, Engines.source().identity().nextId()));
		}
	}

	private static String ours(int number) {
		return "_c_%s-lock-%010d".formatted(Engines.source().identity().nextId(), number);
	}

	@Test
	void ofWhatIsHeldNoneIsAskedWhoseNodeItIsNot() {
		enter(true, false, "key");
		holdMany();
		List<String> queue = new ArrayList<>(List.of(BUSY[0]));
		for (int i = 0; i < 100; i++) {
			queue.add(ours(10 + i));
		}
		this.zooKeeper.answerChildren(Code.OK, queue.toArray(String[]::new));
		assertThat(this.listener.notes()).containsExactly("busy");
		assertThat(this.asked).hasValueLessThanOrEqualTo(100);
	}

	@Test
	void ofWhatIsHeldNoneIsAskedWhoseIdIsNotInTheNode() {
		enter(true, true, "key");
		holdMany();
		ClientIdentity identity = Engines.source().identity();
		this.zooKeeper.answerRead(identity.describe(identity.nextId(), LockMode.EXCLUSIVE, 0, "caller", false, 0));
		assertThat(this.zooKeeper.answerTransaction(Code.OK)).as("the commit barrier").isTrue();
		assertThat(this.asked).hasValueLessThanOrEqualTo(1);
	}

	@Test
	void whatANaiveHolderOfOursHasLeftIsTakenWithTheKeyNode() {
		enter(true, false, "key");
		this.zooKeeper.answerNoChildrenForEphemeral();
		this.zooKeeper.answerRead(new byte[0]);
		assertThat(this.zooKeeper.answerTransaction(Code.OK)).as("the commit barrier").isTrue();
		assertThat(this.zooKeeper.answerRead(Code.NONODE)).isTrue();
		assertThat(this.zooKeeper.answerCreate(Code.NONODE)).as("without the key node").isFalse();
		assertThat(StreamSupport.stream(this.zooKeeper.lastTransaction().spliterator(), false).map(Op::getPath)).first()
			.isEqualTo(Engines.source().paths().keyNode("key"));
	}

	@Test
	void nothingIsAskedForACallThatHasItsAnswer() {
		enter(true, false, "one", "two", "three");
		this.zooKeeper.answerChildren(Code.OK, BUSY);
		assertThat(this.listener.notes()).containsExactly("busy");
		this.zooKeeper.answerChildren(Code.OK, ours(1), ours(2));
		assertThat(this.zooKeeper.pendingTransactions()).as("a commit barrier").isZero();
		this.zooKeeper.answerChildren(Code.OK, BUSY[0]);
		assertThat(this.zooKeeper.answerRead(new byte[0])).as("a read of the only one").isFalse();
	}

	// It may be the list that costs the connection
	@Test
	void aLookThatIsLostEachTimeIsRepeatedOnceAtOnce() {
		enter(true, false, "key");
		Stopwatch stopwatch = Stopwatch.start();
		int looks = 0;
		while (looks < 100 && this.zooKeeper.answerChildren(Code.CONNECTIONLOSS)) {
			looks++;
			this.zooKeeper.answerTransaction(Code.OK);
		}
		// The shortest pause may be over on a machine that stands still
		boolean withinThePause = stopwatch.elapsed().compareTo(Duration.ofMillis(20)) < 0;
		assertThat(looks).isBetween(2, withinThePause ? 2 : 10);
	}

	@Test
	@Tag("NodeCreation.I1")
	void whoLeavesWhileItLooksHasGoneWithTheLastAnswer() {
		enter(true, false, "one", "two");
		CompletionStage<Void> gone = this.contender.leave();
		this.zooKeeper.answerChildren(Code.OK, ours(1), ours(2));
		assertThat(gone).isNotCompleted();
		this.zooKeeper.answerChildren(Code.CONNECTIONLOSS);
		assertThat(gone).isCompleted();
		assertNothingIsAsked();
	}

	@Test
	@Tag("NodeCreation.I1")
	void whoIsRefusedWhileItLooksElsewhereHasGoneWithTheLastAnswer() {
		enter(true, false, "one", "two");
		this.zooKeeper.answerChildren(Code.NOAUTH);
		assertThat(this.listener.notes()).containsExactly("failed");
		CompletionStage<Void> gone = this.contender.leave();
		assertThat(gone).isNotCompleted();
		this.zooKeeper.answerChildren(Code.OK);
		assertThat(gone).isCompleted();
		assertNothingIsAsked();
	}

	@Test
	@Tag("NodeCreation.I1")
	void whoLeavesBetweenALookThatWasLostAndTheNextHasGoneWithTheCommit() {
		enter(true, false, "key");
		this.zooKeeper.answerChildren(Code.CONNECTIONLOSS);
		CompletionStage<Void> gone = this.contender.leave();
		assertThat(gone).isNotCompleted();
		this.zooKeeper.answerTransaction(Code.OK);
		assertThat(gone).isCompleted();
		assertNothingIsAsked();
	}

	@Test
	void whoLeavesWhileItAwaitsALeaseAsksNothingMore() {
		this.timer = new Timer("test-timer", new StepFailures());
		enter(true, false, "key");
		// All that is known of the session is older than its time-out
		this.now.set(Duration.ofMinutes(1).toNanos());
		this.zooKeeper.answerChildren(Code.OK);
		assertThat(this.contender.leave()).isCompleted();
		CompletableFuture<Void> later = new CompletableFuture<>();
		this.session.later(this.session.leasePause(), () -> later.complete(null));
		assertThat(later).succeedsWithin(Actor.PATIENCE);
		assertNothingIsAsked();
	}

	private void assertNothingIsAsked() {
		assertThat(this.zooKeeper.pendingTransactions()).as("a commit barrier, or a node").isZero();
		assertThat(this.zooKeeper.pendingLists()).as("another look").isZero();
		assertThat(this.zooKeeper.answerCreate(Code.OK)).as("a node").isFalse();
	}

	@Test
	void whereTheConnectionIsLostBehindALookItLooksAgainOnTheNextOne() {
		enter(true, false, "key");
		this.zooKeeper.disconnect();
		this.zooKeeper.answerChildren(Code.OK);
		assertThat(this.listener.notes()).containsExactly("disturbed");
		assertThat(this.zooKeeper.answerCreate(Code.OK)).as("a node that nothing confirms").isFalse();
		assertThat(this.zooKeeper.answerTransaction(Code.OK)).as("the commit barrier").isTrue();
		assertThat(this.zooKeeper.pendingLists()).isOne();
	}

	private record Counting(AvailabilityCheckTests test, String id) implements LeaseHolder {

		@Override
		public boolean isValid() {
			return true;
		}

		@Override
		public boolean isHeldBy(String path) {
			this.test.asked.incrementAndGet();
			return false;
		}

		@Override
		public void watchItself(long heldSince) {
		}

		@Override
		public CompletionStage<Void> takeAway(String path, long token) {
			return CompletableFuture.completedFuture(null);
		}

	}

}
