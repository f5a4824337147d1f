package io.github.zklock.faults;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The checker must find what it is there to find: planted violations of each kind.
 */
class HistoryCheckerTests {

	@TempDir
	private Path directory;

	private HistoryChecker check(String... lines) throws Exception {
		Path log = this.directory.resolve("planted.log");
		Files.write(log, List.of(lines));
		return new HistoryChecker(History.read(List.of(log)));
	}

	private static String enter(String who, LockMode mode, long token, long at) {
		return "ENTER\t%s\tk\t%s\t%d\t%d".formatted(who, mode, token, at);
	}

	private static String downgrade(String who, long at) {
		return "DOWNGRADE\t%s\tk\t%d".formatted(who, at);
	}

	private static String leave(String who, long lastTrue, long notified) {
		return "LEAVE\t%s\tk\t%d\t%d".formatted(who, lastTrue, notified);
	}

	private static String other(String line) {
		return line.replace("\tk\t", "\tother\t");
	}

	@Test
	void sectionsOneAfterTheOtherAreNoViolation() throws Exception {
		HistoryChecker checker = check(enter("a", LockMode.EXCLUSIVE, 256, 10), leave("a", 20, HoldRecord.NEVER),
				enter("b", LockMode.READ, 512, 21), enter("c", LockMode.READ, 768, 22),
				leave("b", 30, HoldRecord.NEVER), leave("c", 31, HoldRecord.NEVER),
				enter("d", LockMode.WRITE, 1024, 32));
		assertThat(checker.violations()).isEmpty();
	}

	@Test
	void twoExclusiveSectionsAtOnceAreFound() throws Exception {
		HistoryChecker checker = check(enter("a", LockMode.EXCLUSIVE, 256, 10), leave("a", 20, HoldRecord.NEVER),
				enter("b", LockMode.WRITE, 512, 19));
		assertThat(checker.violations()).singleElement().asString().startsWith("OVERLAP");
	}

	@Test
	void anOverlapIsAsLongAsBothBelieved() throws Exception {
		HistoryChecker checker = check(enter("a", LockMode.EXCLUSIVE, 256, 10), leave("a", 90, HoldRecord.NEVER),
				enter("b", LockMode.EXCLUSIVE, 512, 19), leave("b", 30, HoldRecord.NEVER));
		assertThat(checker.overlaps()).singleElement().satisfies((overlap) -> {
			assertThat(overlap.nanos()).isEqualTo(11);
			assertThat(overlap.before().who()).isEqualTo("a");
			assertThat(overlap.later().who()).isEqualTo("b");
		});
	}

	@Test
	void aLongSectionIsFoundBehindShortOnes() throws Exception {
		HistoryChecker checker = check(enter("a", LockMode.READ, 256, 10), leave("a", 50, HoldRecord.NEVER),
				enter("b", LockMode.READ, 512, 11), leave("b", 12, HoldRecord.NEVER),
				enter("c", LockMode.WRITE, 768, 40));
		assertThat(checker.violations()).singleElement().asString().startsWith("OVERLAP");
	}

	@Test
	void aReaderInsideAWriterIsFound() throws Exception {
		HistoryChecker checker = check(enter("a", LockMode.WRITE, 256, 10), leave("a", 20, HoldRecord.NEVER),
				enter("b", LockMode.READ, 512, 15));
		assertThat(checker.violations()).singleElement().asString().startsWith("OVERLAP");
	}

	@Test
	void aHolderThatWasNotifiedBeforeTheNextGrantIsNoViolation() throws Exception {
		HistoryChecker checker = check(enter("a", LockMode.EXCLUSIVE, 256, 10), leave("a", 14, 15),
				enter("b", LockMode.EXCLUSIVE, 512, 18));
		assertThat(checker.violations()).isEmpty();
		assertThat(checker.smallestMargin()).hasValue(3);
	}

	@Test
	void aHolderThatWasNotifiedTooLateHasANegativeMargin() throws Exception {
		HistoryChecker checker = check(enter("a", LockMode.EXCLUSIVE, 256, 10), leave("a", 14, 25),
				enter("b", LockMode.EXCLUSIVE, 512, 18));
		assertThat(checker.smallestMargin()).hasValue(-7);
	}

	@Test
	void readersBesideAWriteThatWasDowngradedAreNoViolation() throws Exception {
		HistoryChecker checker = check(enter("a", LockMode.WRITE, 256, 10), downgrade("a", 15),
				enter("b", LockMode.READ, 512, 16), leave("a", 30, HoldRecord.NEVER), leave("b", 40, HoldRecord.NEVER),
				enter("c", LockMode.WRITE, 768, 41), leave("c", 42, HoldRecord.NEVER),
				enter("d", LockMode.READ, 1024, 43));
		assertThat(checker.violations()).isEmpty();
		assertThat(checker.joined()).isEqualTo(1);
	}

	@Test
	void aReaderBeforeTheDowngradeIsFound() throws Exception {
		HistoryChecker checker = check(enter("a", LockMode.WRITE, 256, 10), downgrade("a", 15),
				enter("b", LockMode.READ, 512, 12), leave("a", 30, HoldRecord.NEVER), leave("b", 40, HoldRecord.NEVER));
		assertThat(checker.overlaps()).singleElement().satisfies((overlap) -> assertThat(overlap.nanos()).isEqualTo(3));
		assertThat(checker.violations()).singleElement().asString().startsWith("OVERLAP");
	}

	@Test
	void aWriterBesideAWriteThatWasDowngradedIsFound() throws Exception {
		for (long entered : new long[] { 12, 20 }) {
			HistoryChecker checker = check(enter("a", LockMode.WRITE, 256, 10), downgrade("a", 15),
					leave("a", 30, HoldRecord.NEVER), enter("b", LockMode.WRITE, 512, entered),
					leave("b", 40, HoldRecord.NEVER));
			assertThat(checker.violations()).singleElement().asString().startsWith("OVERLAP");
		}
	}

	@Test
	void aWriterBesideAWriteThatWasDowngradedIsFoundBehindAReader() throws Exception {
		HistoryChecker checker = check(enter("a", LockMode.WRITE, 256, 10), downgrade("a", 15),
				enter("b", LockMode.READ, 512, 16), leave("b", 17, HoldRecord.NEVER), leave("a", 30, HoldRecord.NEVER),
				enter("c", LockMode.EXCLUSIVE, 768, 20));
		assertThat(checker.violations()).singleElement().asString().startsWith("OVERLAP");
	}

	@Test
	void whoReadsBesideAWriteThatWasDowngradedHasALargerToken() throws Exception {
		HistoryChecker checker = check(enter("a", LockMode.WRITE, 256, 10), downgrade("a", 15),
				enter("b", LockMode.READ, 256, 16), leave("a", 30, HoldRecord.NEVER));
		assertThat(checker.violations()).singleElement().asString().startsWith("TOKEN");
	}

	@Test
	void aWriteThatWasDowngradedAndLostIsFollowedByWritersOnly() throws Exception {
		HistoryChecker checker = check(enter("a", LockMode.WRITE, 256, 10), downgrade("a", 15), leave("a", 20, 21),
				enter("b", LockMode.READ, 512, 16), leave("b", 22, HoldRecord.NEVER),
				enter("c", LockMode.WRITE, 768, 24));
		assertThat(checker.violations()).isEmpty();
		assertThat(checker.smallestMargin()).hasValue(3);
	}

	@Test
	void eachKeyOfARequestIsLookedAt() throws Exception {
		String[] a = { enter("a", LockMode.WRITE, 256, 10), other(enter("a", LockMode.READ, 256, 10)),
				leave("a", 20, HoldRecord.NEVER), other(leave("a", 20, HoldRecord.NEVER)) };
		assertThat(check(a[0], a[1], a[2], a[3], other(enter("b", LockMode.READ, 512, 15))).violations()).isEmpty();
		assertThat(check(a[0], a[1], a[2], a[3], enter("b", LockMode.READ, 512, 15)).violations()).singleElement()
			.asString()
			.startsWith("OVERLAP");
		assertThat(check(a[0], a[1], a[2], a[3], other(enter("b", LockMode.WRITE, 512, 15))).violations())
			.singleElement()
			.asString()
			.startsWith("OVERLAP");
	}

	@Test
	void aStoreThatAcceptsAnOlderHolderOfOneOfItsKeysIsFound() throws Exception {
		HistoryChecker checker = check(enter("a", LockMode.EXCLUSIVE, 256, 10),
				other(enter("a", LockMode.EXCLUSIVE, 256, 10)), leave("a", 11, HoldRecord.NEVER),
				other(leave("a", 11, HoldRecord.NEVER)), enter("b", LockMode.EXCLUSIVE, 512, 12),
				leave("b", 13, HoldRecord.NEVER), "ACCEPTED\tb\tk\t512", "ACCEPTED\ta\tother\t256",
				"ACCEPTED\ta\tk\t256");
		assertThat(checker.violations()).singleElement().asString().startsWith("STORE");
	}

	@Test
	void aTokenThatGoesBackIsFound() throws Exception {
		HistoryChecker checker = check(enter("a", LockMode.EXCLUSIVE, 512, 10), leave("a", 11, HoldRecord.NEVER),
				enter("b", LockMode.EXCLUSIVE, 512, 12));
		assertThat(checker.violations()).singleElement().asString().startsWith("TOKEN");
	}

	@Test
	void aWriterWhoseTokenIsNotAboveAReadersIsFound() throws Exception {
		HistoryChecker checker = check(enter("a", LockMode.READ, 512, 10), leave("a", 11, HoldRecord.NEVER),
				enter("b", LockMode.WRITE, 300, 12));
		assertThat(checker.violations()).singleElement().asString().startsWith("TOKEN");
	}

	@Test
	void aReaderWhoseTokenIsNotAboveAWritersIsFound() throws Exception {
		HistoryChecker checker = check(enter("a", LockMode.WRITE, 512, 10), leave("a", 11, HoldRecord.NEVER),
				enter("b", LockMode.READ, 512, 12));
		assertThat(checker.violations()).singleElement().asString().startsWith("TOKEN");
	}

	@Test
	void aStoreThatAcceptsAnOlderHolderIsFound() throws Exception {
		HistoryChecker checker = check(enter("a", LockMode.EXCLUSIVE, 256, 10), leave("a", 11, HoldRecord.NEVER),
				enter("b", LockMode.EXCLUSIVE, 512, 12), leave("b", 13, HoldRecord.NEVER), "ACCEPTED\tb\tk\t512",
				"ACCEPTED\ta\tk\t256");
		assertThat(checker.violations()).singleElement().asString().startsWith("STORE");
	}

	@Test
	void aCallThatCameBackLateIsMeasured() throws Exception {
		HistoryChecker checker = check("FAIL\ta\tLockTimeoutException\t1000\t1300", "FAIL\tb\tX\t1000\t1200");
		assertThat(checker.latestNanos()).isEqualTo(300);
		assertThat(checker.latestNanos("b")).isEqualTo(200);
		assertThat(check("FAIL\ta\tX\t1000\t1300", "OVERDUE\tb\tREAD\t1000\t1400").latestNanos()).isEqualTo(400);
	}

	@ParameterizedTest
	@ValueSource(strings = { "LockUpgradeException", "LockException", "LockLostException" })
	void aCallThatFailedAsNoFaultExplainsIsFound(String kind) throws Exception {
		HistoryChecker checker = check("FAIL\tc-0#1\t" + kind + "\t1000\t900");
		assertThat(checker.violations()).singleElement().asString().startsWith("FAILURE").contains(kind);
	}

	@Test
	void callsThatFailAsFaultsHaveThemFailAreNoViolation() throws Exception {
		HistoryChecker checker = check(enter("c-0#1", LockMode.EXCLUSIVE, 256, 10), leave("c-0#1", 20, 21),
				"FAIL\tc-0#2\tLockLostException\t1000\t900", "FAIL\tc-0#3\tLockTimeoutException\t1000\t1001",
				"FAIL\tc-0#4\tLockUnavailableException\t1000\t900", "FAIL\tc-0#5\tInterruptedException\t1000\t9");
		assertThat(checker.violations()).isEmpty();
	}

	@Test
	void aWorkerIsNotNotifiedOfTheLossOfAnother() throws Exception {
		HistoryChecker checker = check(enter("c-0#1", LockMode.EXCLUSIVE, 256, 10), leave("c-0#1", 20, 21),
				"FAIL\tc-1#2\tLockLostException\t1000\t900");
		assertThat(checker.violations()).singleElement().asString().startsWith("FAILURE");
	}

	@Test
	void theFencedStoreRefusesSmallerTokens() {
		FencedStore store = new FencedStore(this.directory);
		assertThat(store.write("a", "k", 512)).isTrue();
		assertThat(store.write("b", "k", 256)).isFalse();
		assertThat(store.write("a", "k", 512)).isTrue();
		assertThat(store.write("b", "other", 256)).isTrue();
		History history = History.read(List.of(store.journal()));
		assertThat(history.accepted()).hasSize(3);
		assertThat(history.refused()).hasSize(1);
	}

	@Test
	void moreHoldersThanPermitsAreAViolation() throws Exception {
		assertThat(checkPermits(10, 20, 15, 30, 20, 40).violations()).isEmpty();
		assertThat(checkPermits(10, 20, 15, 30, 19, 40).violations()).singleElement().asString().startsWith("OVERLAP");
	}

	private HistoryChecker checkPermits(long... times) throws Exception {
		List<String> lines = new ArrayList<>();
		for (int i = 0; i < times.length; i += 2) {
			String who = "w" + i;
			lines.add(enter(who, LockMode.EXCLUSIVE, 256 + i, times[i]).replace("\tk\t", "\t2-permits\t"));
			lines.add(leave(who, times[i + 1], HoldRecord.NEVER).replace("\tk\t", "\t2-permits\t"));
		}
		return check(lines.toArray(String[]::new));
	}

	@Test
	void aQueueThatIsBeingWrittenIsNotRead() throws Exception {
		Path log = this.directory.resolve("growing.log");
		Files.writeString(log, enter("a", LockMode.EXCLUSIVE, 256, 10) + "\nLEAVE\ta");
		assertThat(History.read(List.of(log)).sections()).singleElement()
			.satisfies((section) -> assertThat(section.who()).isEqualTo("a"));
	}

	@Test
	void aSectionWhoseProcessWasKilledHasNoEnd() throws Exception {
		HistoryChecker checker = check(enter("a", LockMode.EXCLUSIVE, 256, 10),
				enter("b", LockMode.EXCLUSIVE, 512, 11));
		assertThat(checker.violations()).isEmpty();
		assertThat(checker.summary()).contains("acquisitions=2");
	}

}
