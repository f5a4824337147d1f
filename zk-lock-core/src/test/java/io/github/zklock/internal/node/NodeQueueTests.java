package io.github.zklock.internal.node;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who is a contender, in which order, and who is in whose way.
 */
class NodeQueueTests {

	@ParameterizedTest
	@ValueSource(strings = { "lock-", "x-lock-", "0", "!junk", "lock-1", "lock-123456789", "lock-12345678901234567890",
			"lock-2147483648", "__READ__", "lock-0000000001x", "lock-00000000-1" })
	void otherNamesAreIgnored(String name) {
		assertThat(LockNodeName.parse(name)).isEmpty();
	}

	@ParameterizedTest
	@CsvSource({ "R, true", "R R W, true", "R W, false", "R W R, false", "R R W R, false", "W R, true", "W R W, false",
			"W R R W, true", "W W R, true", "W R W W R, false" })
	void aReaderIsToldWhetherMostHoldTheKeyWithIt(String modes, boolean most) {
		List<String> names = new ArrayList<>();
		for (String mode : modes.split(" ", -1)) {
			names.add("%s-__%s__%010d".formatted("c" + names.size(), mode.equals("R") ? "READ" : "WRIT", names.size()));
		}
		String first = names.stream().filter((name) -> name.contains("READ")).findFirst().orElseThrow();
		assertThat(NodeQueue.of(names).isHeldByMost(first)).isEqualTo(most);
		assertThat(NodeQueue.of(names).isHeldByMost("gone-__READ__0000000009")).isFalse();
	}

	@Test
	void everyWellFormedNameIsAContenderNoMatterWhoMadeIt() {
		assertThat(LockNodeName.parse("lock-0000000007"))
			.contains(new LockNodeName("lock-0000000007", LockMode.EXCLUSIVE, 0, 7));
		assertThat(LockNodeName.parse("_c_1-__READ__0000000008").orElseThrow().mode()).isEqualTo(LockMode.READ);
		assertThat(LockNodeName.parse("_c_1-__WRIT__0000000009").orElseThrow().mode()).isEqualTo(LockMode.WRITE);
		assertThat(LockNodeName.parse("lock--2147483648").orElseThrow().sequence()).isEqualTo(Integer.MIN_VALUE);
	}

	@Test
	void orderIsByNumberAndNotByText() {
		NodeQueue queue = NodeQueue
			.of(List.of("zz-lock-0000000001", "aa-lock-0000000010", "mm-lock-0000000002", "junk"));
		assertThat(queue.names()).extracting(LockNodeName::sequence).containsExactly(1, 2, 10);
	}

	@Test
	void anExclusiveWaitsForTheOneDirectlyBeforeIt() {
		NodeQueue queue = NodeQueue.of(List.of("a-lock-0000000001", "b-__READ__0000000002", "c-lock-0000000003"));
		NodeQueue.Position position = queue.positionOf("c-lock-0000000003", LockMode.EXCLUSIVE);
		assertThat(position).isNotNull();
		assertThat(position.blocker().name()).isEqualTo("b-__READ__0000000002");
		assertThat(position.blockers()).isEqualTo(2);
		assertThat(position.all()).extracting(LockNodeName::name)
			.containsExactly("a-lock-0000000001", "b-__READ__0000000002");
	}

	@Test
	void aReadWaitsForTheLastWriterBeforeIt() {
		NodeQueue queue = NodeQueue
			.of(List.of("a-lock-0000000001", "b-__WRIT__0000000002", "c-__READ__0000000003", "d-__READ__0000000004"));
		NodeQueue.Position position = queue.positionOf("d-__READ__0000000004", LockMode.READ);
		assertThat(position.blocker().name()).isEqualTo("b-__WRIT__0000000002");
		assertThat(position.blockers()).isEqualTo(2);
	}

	@Test
	void readersShareTheFront() {
		NodeQueue queue = NodeQueue.of(List.of("a-__READ__0000000001", "b-__READ__0000000002", "c-__WRIT__0000000003"));
		assertThat(queue.positionOf("b-__READ__0000000002", LockMode.READ).isFree()).isTrue();
		assertThat(queue.positionOf("c-__WRIT__0000000003", LockMode.WRITE).blockerHolds()).isTrue();
		assertThat(queue.isContended("a-__READ__0000000001", LockMode.READ)).isTrue();
	}

	@ParameterizedTest
	@CsvSource({ "WRITE", "READ", "EXCLUSIVE" })
	void whoIsBehindAnotherThatExcludesItDoesNotHold(LockMode mode) {
		NodeQueue behindAWriter = NodeQueue
			.of(List.of("a-__WRIT__0000000001", "b-__READ__0000000002", "c-lock-0000000003"));
		assertThat(behindAWriter.positionAtEnd(mode, 0).blockerHolds()).isFalse();
		assertThat(behindAWriter.positionOf("b-__READ__0000000002", LockMode.READ).blockerHolds()).isTrue();
		assertThat(behindAWriter.positionOf("c-lock-0000000003", LockMode.EXCLUSIVE).blockerHolds()).isFalse();
		NodeQueue behindAReader = NodeQueue.of(List.of("a-__READ__0000000001", "b-__WRIT__0000000002"));
		assertThat(behindAReader.positionAtEnd(mode, 0).blockerHolds()).isFalse();
	}

	@Test
	void aReadKnowsHowManyReadersItsBlockerMayWaitFor() {
		NodeQueue queue = NodeQueue.of(List.of("a-lock-0000000001", "b-__READ__0000000002", "c-lock-0000000003",
				"d-__READ__0000000004", "e-__READ__0000000005"));
		NodeQueue.Position reader = queue.positionOf("e-__READ__0000000005", LockMode.READ);
		assertThat(reader.all()).hasSize(2);
		assertThat(reader.others()).isOne();
		assertThat(queue.positionOf("c-lock-0000000003", LockMode.EXCLUSIVE).others()).isZero();
		assertThat(queue.positionOf("b-__READ__0000000002", LockMode.READ).others()).isZero();
	}

	@Test
	void readersBehindAReaderDoNotContend() {
		NodeQueue queue = NodeQueue.of(List.of("a-__READ__0000000001", "b-__READ__0000000002"));
		assertThat(queue.isContended("a-__READ__0000000001", LockMode.READ)).isFalse();
	}

	@Test
	void theEndOfAWriteNodeAloneDoesNotGrant() {
		NodeQueue queue = NodeQueue.of(List.of("a-__WRIT__0000000001", "b-__WRIT__0000000002"));
		assertThat(queue.positionOf("b-__WRIT__0000000002", LockMode.WRITE).all()).isEmpty();
		NodeQueue other = NodeQueue.of(List.of("a-lock-0000000001", "b-lock-0000000002"));
		assertThat(other.positionOf("b-lock-0000000002", LockMode.EXCLUSIVE).all()).hasSize(1);
	}

	@Test
	void ofManyInTheWayNotAllAreNamed() {
		List<String> names = IntStream.rangeClosed(1, NodeQueue.MOST_WATCHED + 2)
			.mapToObj("a-lock-%010d"::formatted)
			.toList();
		NodeQueue queue = NodeQueue.of(names);
		assertThat(queue.positionOf(names.get(4), LockMode.EXCLUSIVE).all()).hasSize(NodeQueue.MOST_WATCHED);
		NodeQueue.Position later = queue.positionOf(names.get(5), LockMode.EXCLUSIVE);
		assertThat(later.blockers()).isEqualTo(5);
		assertThat(later.all()).isEmpty();
	}

	@Test
	void whoIsNotInTheQueueHasNoPosition() {
		assertThat(NodeQueue.of(List.of("a-lock-0000000001")).positionOf("b-lock-0000000002", LockMode.EXCLUSIVE))
			.isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "a-lock--2147483648", "a-lock-2147483647", "a-lock-2147418111" })
	void numbersNearTheirEndAreNotTrusted(String name) {
		assertThat(NodeQueue.of(List.of(name, "b-lock-2147483640")).needsCzxids()).isTrue();
		assertThat(NodeQueue.of(List.of("b-lock-2147483640", "a-lock-2147418110")).needsCzxids()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "a-lock--2147483648", "a-lock-2147483647", "a-lock-2147418111" })
	void oneNearTheEndIsBehindAllOthersWithoutAnyCzxid(String name) {
		NodeQueue queue = NodeQueue.of(List.of(name, "c-lock-2147418110", "b-lock-0000000002"));
		assertThat(queue.needsCzxids()).isFalse();
		assertThat(queue.names()).extracting(LockNodeName::name)
			.containsExactly("b-lock-0000000002", "c-lock-2147418110", name);
	}

	@Test
	void thoseNearTheEndAreOrderedByWhenTheirNodesWereCreated() {
		NodeQueue queue = NodeQueue.of(List.of("a-lock-2147483647", "b-lock-2147483647", "c-lock--2147483648",
				"e-lock-2147483646", "d-lock-0000000001"));
		NodeQueue ordered = queue
			.byCzxid(Map.of("b-lock-2147483647", 5L, "a-lock-2147483647", 6L, "c-lock--2147483648", 7L));
		assertThat(ordered.names()).extracting(LockNodeName::name)
			.containsExactly("d-lock-0000000001", "b-lock-2147483647", "a-lock-2147483647", "c-lock--2147483648");
	}

	@Test
	void aNodeOfADowngradeKeepsItsPositionWhateverElseIsThere() {
		List<String> names = List.of("r-__READ__0000000000", "b-lock-0000000001", "x-lock-2147483640",
				"y-lock--0000000009");
		Map<String, Long> czxids = Map.of(names.get(0), 13L, names.get(1), 11L, names.get(2), 12L, names.get(3), 10L);
		assertThat(NodeQueue.of(names).byCzxid(czxids).names()).extracting(LockNodeName::name)
			.containsExactly(names.get(0), names.get(1), names.get(3), names.get(2));
	}

	@Test
	void theNameOfAPermitsNodeSaysHowMany() {
		String name = LockNodeName.prefix("c0ffee", LockMode.EXCLUSIVE, 12) + "0000000003";
		assertThat(LockNodeName.parse(name)).contains(new LockNodeName(name, LockMode.EXCLUSIVE, 12, 3));
		assertThat(LockNodeName.prefix("c0ffee", LockMode.READ, 0)).isEqualTo("_c_c0ffee-__READ__");
	}

	@ParameterizedTest
	@ValueSource(strings = { "_c_1-lock-0000000003", "_c_1--permit-lock-0000000003", "5-permit-lock-0000000003",
			"_c_1-x5-permit-lock-0000000003", "_c_1-1234567890-permit-lock-0000000003",
			"_c_1-5-permit-__READ__0000000003" })
	void otherNamesAreNoPermits(String name) {
		assertThat(LockNodeName.parse(name).orElseThrow().isPermit()).isFalse();
	}

	@Test
	void aPermitIsFreeWhileFewerAreBeforeItThanAllAllow() {
		assertThat(permitPosition(1, 2, 2).isFree()).isTrue();
		assertThat(permitPosition(2, 2, 2, 2).isFree()).isFalse();
		assertThat(permitPosition(2, 2, 2, 5).isFree()).isFalse();
		assertThat(permitPosition(2, 5, 5, 2).isFree()).isFalse();
		assertThat(permitPosition(2, 5, 5, 3).isFree()).isTrue();
		assertThat(permitPosition(1, 0, 5).isFree()).as("behind a lock").isFalse();
		assertThat(permitPosition(2, 5, 0, 5).isFree()).as("behind a lock").isFalse();
		assertThat(permitPosition(0, 1).isFree()).isTrue();
	}

	@Test
	void theFirstWhoWaitsForAPermitWatchesThoseWhoHold() {
		NodeQueue.Position first = permitPosition(3, 3, 3, 3, 3, 3);
		assertThat(first.all()).hasSize(3);
		assertThat(first.remaining()).isEqualTo(2);
		assertThat(first.waiting()).isZero();
		assertThat(first.blockerHolds()).isTrue();
		NodeQueue.Position second = permitPosition(4, 3, 3, 3, 3, 3);
		assertThat(second.all()).isEmpty();
		assertThat(second.waiting()).isEqualTo(1);
		assertThat(second.blockerHolds()).isFalse();
		NodeQueue.Position ofMany = permitPosition(5, 5, 5, 5, 5, 5, 5);
		assertThat(ofMany.all()).isEmpty();
		assertThat(ofMany.waiting()).isZero();
		NodeQueue.Position tighter = permitPosition(3, 3, 3, 3, 2);
		assertThat(tighter.all()).hasSize(3);
		assertThat(tighter.remaining()).isEqualTo(1);
	}

	@Test
	void aPermitIsContendedOnlyBySomebodyBeyondTheLastOne() {
		NodeQueue full = permits(2, 2);
		assertThat(full.isContended(full.names().get(0).name(), LockMode.EXCLUSIVE)).isFalse();
		NodeQueue over = permits(2, 2, 2);
		assertThat(over.isContended(over.names().get(0).name(), LockMode.EXCLUSIVE)).isTrue();
		assertThat(over.isContended(over.names().get(2).name(), LockMode.EXCLUSIVE)).isFalse();
		NodeQueue locked = permits(5, 0);
		assertThat(locked.isContended(locked.names().get(0).name(), LockMode.EXCLUSIVE)).isTrue();
		assertThat(over.isFollowedByPermit(over.names().get(0).name())).isTrue();
		assertThat(over.isFollowedByPermit(over.names().get(2).name())).isFalse();
		assertThat(locked.isFollowedByPermit(locked.names().get(0).name())).isFalse();
		assertThat(over.permitsHeld()).isEqualTo(2);
		assertThat(permits(5, 5, 2, 5, 5).permitsHeld()).isEqualTo(2);
		assertThat(permits(5, 0, 5).permitsHeld()).isEqualTo(1);
	}

	@Test
	void aLockIsBehindHoldersWhereAllBeforeItHavePermits() {
		assertThat(permits(5, 5).positionAtEnd(LockMode.EXCLUSIVE, 0).blockerHolds()).isTrue();
		assertThat(permits(5, 0).positionAtEnd(LockMode.EXCLUSIVE, 0).blockerHolds()).isFalse();
		assertThat(permits(1, 1).positionAtEnd(LockMode.EXCLUSIVE, 0).blockerHolds()).isFalse();
	}

	@Test
	void forOthersAPermitIsALock() {
		NodeQueue queue = NodeQueue.of(List.of("_c_a-5-permit-lock-0000000001", "_c_b-lock-0000000002"));
		assertThat(queue.positionOf("_c_b-lock-0000000002", LockMode.EXCLUSIVE).blocker().name())
			.isEqualTo("_c_a-5-permit-lock-0000000001");
	}

	private static NodeQueue permits(int... allowed) {
		List<String> names = new ArrayList<>();
		for (int i = 0; i < allowed.length; i++) {
			names.add("%s%010d".formatted(LockNodeName.prefix("id" + i, LockMode.EXCLUSIVE, allowed[i]), i));
		}
		return NodeQueue.of(names);
	}

	private static NodeQueue.Position permitPosition(int index, int... allowed) {
		NodeQueue queue = permits(allowed);
		return queue.positionOf(queue.names().get(index).name(), LockMode.EXCLUSIVE);
	}

}
