package io.github.zklock.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.IntStream;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.zklock.inspect.JobRun;
import io.github.zklock.internal.session.HandPlayedZooKeeper;
import io.github.zklock.internal.session.LockSession;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a client knows of a run by its own clock; its session time-out is 6 s.
 */
class SeenMarkTests {

	private static final Duration WITHIN = Duration.ofSeconds(60);

	private final HandPlayedZooKeeper zooKeeper = HandPlayedZooKeeper.HANDLE;

	private long now;

	private final SeenMark mark = new SeenMark("/root/%~jobs/key", () -> this.now);

	private LockSession session;

	@BeforeEach
	void watch() {
		this.zooKeeper.reset();
		this.session = session();
	}

	private LockSession session() {
		return this.zooKeeper.session(() -> this.now, Engines.TIMER);
	}

	private static JobRun run(long number, String id) {
		return new JobRun("key", number, id, Instant.EPOCH, WITHIN, null, JobRun.RUNNING, null, null, null);
	}

	private void isThere(JobRun run) {
		String content = "{\"key\":\"key\",\"id\":\"%s\",\"run\":\"%d\",\"started\":\"0\"}".formatted(run.id(),
				run.number());
		this.mark.listener().watching(content.getBytes(StandardCharsets.UTF_8), new Stat(), null);
	}

	private void after(Duration time) {
		this.now += time.toNanos();
	}

	@Test
	void i1ARunThatWasSeenComingIsRecentForTheTimeLessASessionTimeout() {
		JobRun next = run(2, "next");
		this.mark.watchIn(this.session);
		isThere(run(1, "first"));
		after(Duration.ofHours(1));
		receive();
		this.mark.listener().changed(EventType.NodeDataChanged);
		isThere(next);
		assertThat(this.mark.isRecent(next, WITHIN)).isTrue();
		after(Duration.ofMillis(53_999));
		assertThat(this.mark.isRecent(next, WITHIN)).isTrue();
		after(Duration.ofMillis(1));
		assertThat(this.mark.isRecent(next, WITHIN)).isFalse();
		assertThat(this.mark.isOld(next, WITHIN)).isFalse();
		after(Duration.ofSeconds(6));
		assertThat(this.mark.isOld(next, WITHIN)).isTrue();
	}

	private void receive() {
		this.session.requests().receipt(() -> {
		});
		assertThat(this.zooKeeper.answerSync(Code.OK)).isTrue();
	}

	@Test
	void i1ARunWhoseEventCameLateIsAsOldAsTheLastReceiptBeforeIt() {
		JobRun next = run(2, "next");
		this.mark.watchIn(this.session);
		isThere(run(1, "first"));
		after(Duration.ofHours(1));
		receive();
		// A callback of others keeps the event thread meanwhile
		after(Duration.ofSeconds(20));
		this.mark.listener().changed(EventType.NodeDataChanged);
		receive();
		isThere(next);
		assertThat(this.mark.atMost(next)).isEqualTo(Duration.ofSeconds(20));
		after(Duration.ofSeconds(40));
		assertThat(this.mark.isRecent(next, WITHIN)).isFalse();
	}

	@Test
	void i1ARunThatWasSeenComingIsRecentNoMoreWithoutItsSession() {
		JobRun next = run(2, "next");
		this.mark.watchIn(this.session);
		this.mark.started(next, this.now);
		assertThat(this.mark.isRecent(next, WITHIN)).isTrue();
		this.mark.leaveFormer(session());
		assertThat(this.mark.session()).isNull();
		assertThat(this.mark.isRecent(next, WITHIN)).isFalse();
	}

	@Test
	void marksThatAreNotAskedForAnyMoreKeepNoSession() {
		ZooKeeperJobMarks marks = new ZooKeeperJobMarks(Engines.source(), null);
		for (int i = 0; i < 5; i++) {
			LockSession brief = session();
			marks.seen("/root/%~jobs/key" + i, brief);
			brief.end();
		}
		assertThat(marks.sessionCount()).isOne();
	}

	@Test
	void i1ARunThatWasThereBeforeIsNeverRecent() {
		JobRun first = run(1, "first");
		this.mark.watchIn(this.session);
		isThere(first);
		assertThat(this.mark.isRecent(first, WITHIN)).isFalse();
		after(WITHIN);
		assertThat(this.mark.isOld(first, WITHIN)).isTrue();
	}

	@Test
	void i1ARunThatCameWhileNobodyWatchedIsNotRecent() {
		JobRun next = run(2, "next");
		this.mark.watchIn(this.session);
		isThere(run(1, "first"));
		this.mark.listener().changed(EventType.None);
		this.mark.saw(next);
		assertThat(this.mark.isRecent(next, WITHIN)).isFalse();
	}

	@Test
	void i1WhatIsSeenAgainWhenARunWasTakenBackIsNotRecent() {
		JobRun first = run(1, "first");
		this.mark.watchIn(this.session);
		isThere(first);
		this.mark.saw(run(2, "taken back"));
		this.mark.saw(first);
		assertThat(this.mark.isRecent(first, WITHIN)).isFalse();
	}

	@Test
	void i1WhatIsSeenAgainIsAsOldAsItWas() {
		JobRun first = run(1, "first");
		this.mark.watchIn(this.session);
		this.mark.started(first, this.now);
		after(Duration.ofSeconds(20));
		this.mark.saw(run(2, "taken back"));
		this.mark.saw(first);
		assertThat(this.mark.isRecent(first, WITHIN)).isTrue();
		assertThat(this.mark.atMost(first)).isEqualTo(Duration.ofSeconds(26));
		after(Duration.ofSeconds(40));
		assertThat(this.mark.isOld(first, WITHIN)).isTrue();
	}

	@Test
	void i1WhatIsSeenAgainBehindTwoRunsThatWereTakenBackIsNotRecent() {
		JobRun first = run(1, "first");
		this.mark.watchIn(this.session);
		isThere(first);
		this.mark.saw(run(2, "taken back"));
		this.mark.saw(run(2, "taken back too"));
		this.mark.saw(first);
		assertThat(this.mark.isRecent(first, WITHIN)).isFalse();
	}

	@Test
	void i1ARunThatCameBetweenTwoSessionsIsNotRecent() {
		JobRun next = run(2, "next");
		this.mark.watchIn(this.session);
		isThere(run(1, "first"));
		this.session.end();
		this.mark.watchIn(session());
		this.mark.saw(next);
		assertThat(this.mark.isRecent(next, WITHIN)).isFalse();
	}

	@Test
	void i1ARunThatIsThereWhenTheWatchIsSetAgainIsNotRecent() {
		JobRun next = run(2, "next");
		this.mark.watchIn(this.session);
		isThere(run(1, "first"));
		this.mark.listener().changed(EventType.None);
		this.mark.watchIn(this.session);
		isThere(next);
		assertThat(this.mark.isRecent(next, WITHIN)).isFalse();
	}

	@Test
	void i1OnesOwnRunIsRecentFromTheMomentBeforeItWasStarted() {
		JobRun own = run(1, "own");
		this.mark.watchIn(this.session);
		after(Duration.ofSeconds(10));
		this.mark.started(own, this.now - Duration.ofSeconds(4).toNanos());
		assertThat(this.mark.isRecent(own, Duration.ofSeconds(11))).isTrue();
		assertThat(this.mark.isRecent(own, Duration.ofSeconds(10))).isFalse();
		assertThat(this.mark.isOld(own, Duration.ofSeconds(4))).isTrue();
		assertThat(this.mark.isOld(own, Duration.ofSeconds(5))).isFalse();
	}

	@Test
	void i1WhatWasKnownInAFormerSessionIsNotRecentBecauseTheClockMayHaveStoodStill() {
		JobRun own = run(1, "own");
		this.mark.watchIn(this.session);
		this.mark.started(own, this.now);
		isThere(own);
		JobRun next = run(2, "taken back");
		this.mark.saw(next);
		assertThat(this.mark.isRecent(next, WITHIN)).isTrue();
		this.session.end();
		this.mark.watchIn(session());
		assertThat(this.mark.isRecent(next, WITHIN)).isFalse();
		this.mark.saw(own);
		assertThat(this.mark.isRecent(own, WITHIN)).isFalse();
		after(WITHIN);
		assertThat(this.mark.isOld(own, WITHIN)).isTrue();
	}

	@Test
	void aWatchThatIsRefusedBeforeItsSetterHasReturnedIsNone() {
		this.zooKeeper.onRead(() -> this.zooKeeper.answerRead(Code.NONODE));
		this.mark.watchIn(this.session);
		assertThat(this.mark.isWatchedIn(this.session)).isFalse();
		this.zooKeeper.onRead(() -> {
		});
		this.mark.watchIn(this.session);
		assertThat(this.mark.isWatchedIn(this.session)).isTrue();
	}

	@Test
	void aLateCallerWithAFormerSessionLeavesTheWatchWhereItIs() {
		LockSession next = session();
		this.mark.watchIn(this.session);
		this.session.end();
		this.mark.watchIn(next);
		this.mark.watchIn(this.session);
		assertThat(this.mark.isWatchedIn(next)).isTrue();
		assertThat(next.watches().count()).isOne();
	}

	@Test
	void whoWatchesInAnotherSessionLeavesNoWatchInTheFormerOne() {
		LockSession next = session();
		this.mark.watchIn(this.session);
		this.mark.watchIn(next);
		assertThat(this.session.watches().count()).isZero();
		assertThat(this.mark.isWatchedIn(next)).isTrue();
	}

	@Test
	void ofManyMarksThoseAreWatchedThatWereAskedForLast() {
		ZooKeeperJobMarks marks = new ZooKeeperJobMarks(Engines.source(), null);
		SeenMark eldest = marks.seen("/root/%~jobs/0", this.session);
		for (int i = 1; i <= 1000; i++) {
			marks.seen("/root/%~jobs/" + i, this.session);
		}
		assertThat(this.session.watches().count()).isEqualTo(1000);
		assertThat(eldest.isWatchedIn(this.session)).isFalse();
		marks.close();
		assertThat(this.session.watches().count()).isZero();
		marks.seen("/root/%~jobs/late", this.session);
		assertThat(this.session.watches().count()).isZero();
	}

	@Test
	void oldMarksAreLookedForOnceAnHour() {
		ZooKeeperJobMarks marks = new ZooKeeperJobMarks(Engines.source(), null);
		marks.tidy(this.session, 0);
		marks.tidy(this.session, 0);
		assertThat(this.zooKeeper.answerRead(Code.NONODE)).isTrue();
		assertThat(this.zooKeeper.answerRead(Code.NONODE)).isFalse();
	}

	@Test
	void ofManyMarksAHundredAreLookedAtAtOnce() {
		ZooKeeperJobMarks marks = new ZooKeeperJobMarks(Engines.source(), null);
		marks.tidy(this.session, 0);
		assertThat(this.zooKeeper.answerRead(Code.OK)).isTrue();
		assertThat(this.zooKeeper.answerChildren(Code.OK,
				IntStream.range(0, 150).mapToObj(Integer::toString).toArray(String[]::new)))
			.isTrue();
		int looked = 0;
		while (this.zooKeeper.answerRead(Code.NONODE)) {
			looked++;
		}
		assertThat(looked).isEqualTo(100);
	}

	@Test
	void whatWasLeftIsNotWatchedAgain() {
		this.mark.watchIn(this.session);
		assertThat(this.mark.isWatchedIn(this.session)).isTrue();
		this.mark.leave();
		this.mark.watchIn(this.session);
		assertThat(this.mark.isWatchedIn(this.session)).isFalse();
	}

}
