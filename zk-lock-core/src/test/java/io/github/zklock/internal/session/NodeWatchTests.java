package io.github.zklock.internal.session;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.github.zklock.zookeeper.Engines;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Several who wait for one node, and what is left in the server behind them.
 */
class NodeWatchTests {

	private static final String PATH = "/locks/key/node";

	private final HandPlayedZooKeeper zooKeeper = HandPlayedZooKeeper.HANDLE;

	private final List<String> notified = new ArrayList<>();

	private final List<byte[]> contents = new ArrayList<>();

	private NodeWatches watches;

	private boolean failing;

	@BeforeEach
	void begin() {
		this.zooKeeper.reset();
		this.watches = this.zooKeeper.session(this::now, Engines.TIMER).watches();
	}

	@Test
	void i1WhoeverIsWatchingIsNotifiedOfTheNextChange() {
		watch("before");
		this.zooKeeper.answerRead(Code.OK);
		watch("after");
		assertThat(this.notified).containsExactly("before watching", "after watching");
		fire();
		assertThat(this.notified).endsWith("before NodeDeleted", "after NodeDeleted");
		assertThat(this.zooKeeper.answerRead(Code.OK)).as("a second watch").isFalse();
	}

	@ParameterizedTest
	@CsvSource({ "8192, 8192", "8193, 0", "900000, 0" })
	void ofLongDataNothingIsKept(int length, int kept) {
		watch("before");
		this.zooKeeper.answerRead(new byte[length]);
		watch("after");
		assertThat(this.contents).extracting((content) -> content.length).containsExactly(kept, kept);
	}

	@Test
	void aLostConnectionIsReportedOnTheEventThread() {
		AtomicInteger losses = new AtomicInteger();
		this.watches = new LockSession(this.zooKeeper, () -> 0, Engines.TIMER, new SessionCounters(),
				(clock, nanos, touchedSince) -> new Lease(clock, nanos, touchedSince) {

					@Override
					public synchronized void disconnected(long receipt) {
						losses.incrementAndGet();
					}

				}, null, (idle) -> {
				})
			.watches();
		watch("one");
		this.zooKeeper.answerRead(Code.OK);
		assertThat(losses).hasValue(0);
		this.zooKeeper.watcher().process(new WatchedEvent(EventType.None, KeeperState.Disconnected, null));
		assertThat(losses).hasPositiveValue();
	}

	@Test
	void i2TheLastOneToLeaveRemovesTheWatchBeforeAnotherOneCanBeMade() {
		List<Integer> known = new ArrayList<>();
		this.zooKeeper.onRemoval(() -> known.add(this.watches.count()));
		NodeWatches.Registration one = watch("one");
		NodeWatches.Registration two = watch("two");
		this.zooKeeper.answerRead(Code.OK);
		one.leave();
		assertThat(this.zooKeeper.removedWatches()).isZero();
		two.leave();
		assertThat(known).containsExactly(1);
		assertThat(this.watches.count()).isZero();
	}

	@Test
	void i3i4AReadThatFailsLeavesNoWatch() {
		NodeWatches.Registration one = watch("one");
		this.zooKeeper.answerRead(Code.NONODE);
		assertThat(this.watches.count()).isZero();
		one.leave();
		assertThat(this.notified).containsExactly("one NONODE");
		assertThat(this.zooKeeper.removedWatches()).isZero();
	}

	@Test
	void i3i4AnEventLeavesNoWatch() {
		NodeWatches.Registration one = watch("one");
		this.zooKeeper.answerRead(Code.OK);
		fire();
		assertThat(this.watches.count()).isZero();
		one.leave();
		assertThat(this.zooKeeper.removedWatches()).isZero();
	}

	@Test
	void i3WhoLeavesBeforeTheWatchIsSetRemovesIt() {
		watch("one").leave();
		assertThat(this.zooKeeper.removedWatches()).isOne();
		this.zooKeeper.answerRead(Code.OK);
		assertThat(this.notified).isEmpty();
		assertThat(this.watches.count()).isZero();
	}

	@Test
	void i5AListenerThatThrowsEndsTheWatchAndAllAreNotified() {
		watch("one");
		watch("failing");
		this.zooKeeper.answerRead(Code.OK);
		assertThat(this.notified).containsExactly("one watching", "failing watching", "one SYSTEMERROR",
				"failing SYSTEMERROR");
		assertThat(this.zooKeeper.removedWatches()).isOne();
		assertThat(this.watches.count()).isZero();
		watch("again");
		this.zooKeeper.answerRead(Code.OK);
		assertThat(this.notified).endsWith("again watching");
	}

	@Test
	void i6AnAnswerThatCannotBeHandledLeavesNoWatch() {
		watch("one");
		this.failing = true;
		this.zooKeeper.answerRead(Code.OK);
		assertThat(this.notified).containsExactly("one SYSTEMERROR");
		assertThat(this.zooKeeper.removedWatches()).isOne();
		assertThat(this.watches.count()).isZero();
	}

	@Test
	void i6WhoWaitsForAnEventThatCannotBeHandledLooksAgain() {
		watch("one");
		this.zooKeeper.answerRead(Code.OK);
		this.zooKeeper.watcher().process(new UnreadableEvent());
		assertThat(this.notified).containsExactly("one watching", "one SYSTEMERROR");
		assertThat(this.watches.count()).isZero();
	}

	private long now() {
		if (this.failing) {
			this.failing = false;
			throw new NoClassDefFoundError("planted");
		}
		return 0;
	}

	private NodeWatches.Registration watch(String name) {
		return this.watches.watchNode(PATH, new NodeWatch.Listener() {

			@Override
			public void watching(byte[] content, Stat stat, List<String> names) {
				NodeWatchTests.this.notified.add(name + " watching");
				NodeWatchTests.this.contents.add(content);
				if (name.equals("failing")) {
					throw new NoClassDefFoundError("planted");
				}
			}

			@Override
			public void notWatching(Code code) {
				NodeWatchTests.this.notified.add(name + " " + code);
			}

			@Override
			public void changed(EventType type) {
				NodeWatchTests.this.notified.add(name + " " + type);
			}

		});
	}

	private void fire() {
		this.zooKeeper.watcher().process(new WatchedEvent(EventType.NodeDeleted, KeeperState.SyncConnected, PATH));
	}

	/** Throws when it is asked what it is. */
	private static final class UnreadableEvent extends WatchedEvent {

		private UnreadableEvent() {
			super(EventType.NodeDeleted, KeeperState.SyncConnected, PATH);
		}

		@Override
		public EventType getType() {
			throw new NoClassDefFoundError("planted");
		}

	}

}
