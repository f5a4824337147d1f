package io.github.zklock.internal.node;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who is a contender, in which order, and who is in whose way.
 */
class LineTests {

	@ParameterizedTest
	@ValueSource(strings = { "lock-", "x-lock-", "0", "!junk", "lock-1", "lock-123456789", "lock-12345678901234567890",
			"lock-2147483648", "__READ__", "lock-0000000001x", "lock-00000000-1" })
	void otherNamesAreIgnored(String name) {
		assertThat(LineName.parse(name)).isEmpty();
	}

	@Test
	void everyWellFormedNameIsAContenderWhoeverMadeIt() {
		assertThat(LineName.parse("lock-0000000007")).contains(new LineName("lock-0000000007", LockMode.EXCLUSIVE, 7));
		assertThat(LineName.parse("_c_1-__READ__0000000008").orElseThrow().mode()).isEqualTo(LockMode.READ);
		assertThat(LineName.parse("_c_1-__WRIT__0000000009").orElseThrow().mode()).isEqualTo(LockMode.WRITE);
		assertThat(LineName.parse("lock--2147483648").orElseThrow().sequence()).isEqualTo(Integer.MIN_VALUE);
	}

	@Test
	void orderIsByNumberAndNotByText() {
		Line line = Line.of(List.of("zz-lock-0000000001", "aa-lock-0000000010", "mm-lock-0000000002", "junk"));
		assertThat(line.names()).extracting(LineName::sequence).containsExactly(1, 2, 10);
	}

	@Test
	void anExclusiveWaitsForTheOneDirectlyBeforeIt() {
		Line line = Line.of(List.of("a-lock-0000000001", "b-__READ__0000000002", "c-lock-0000000003"));
		Line.Position position = line.positionOf("c-lock-0000000003", LockMode.EXCLUSIVE);
		assertThat(position).isNotNull();
		assertThat(position.obstacle().name()).isEqualTo("b-__READ__0000000002");
		assertThat(position.blockers()).isEqualTo(2);
		assertThat(position.isLastObstacle()).isFalse();
	}

	@Test
	void aReadWaitsForTheLastWriterBeforeIt() {
		Line line = Line
			.of(List.of("a-lock-0000000001", "b-__WRIT__0000000002", "c-__READ__0000000003", "d-__READ__0000000004"));
		Line.Position position = line.positionOf("d-__READ__0000000004", LockMode.READ);
		assertThat(position.obstacle().name()).isEqualTo("b-__WRIT__0000000002");
		assertThat(position.blockers()).isEqualTo(2);
	}

	@Test
	void readersShareTheFront() {
		Line line = Line.of(List.of("a-__READ__0000000001", "b-__READ__0000000002", "c-__WRIT__0000000003"));
		assertThat(line.positionOf("b-__READ__0000000002", LockMode.READ).isFree()).isTrue();
		assertThat(line.positionOf("c-__WRIT__0000000003", LockMode.WRITE).obstacleHolds()).isTrue();
		assertThat(line.isContended("a-__READ__0000000001", LockMode.READ)).isTrue();
	}

	@Test
	void readersBehindAReaderDoNotContend() {
		Line line = Line.of(List.of("a-__READ__0000000001", "b-__READ__0000000002"));
		assertThat(line.isContended("a-__READ__0000000001", LockMode.READ)).isFalse();
	}

	@Test
	void theEndOfAWriteNodeAloneDoesNotGrant() {
		Line line = Line.of(List.of("a-__WRIT__0000000001", "b-__WRIT__0000000002"));
		assertThat(line.positionOf("b-__WRIT__0000000002", LockMode.WRITE).isLastObstacle()).isFalse();
		Line other = Line.of(List.of("a-lock-0000000001", "b-lock-0000000002"));
		assertThat(other.positionOf("b-lock-0000000002", LockMode.EXCLUSIVE).isLastObstacle()).isTrue();
	}

	@Test
	void whoIsNotInTheLineHasNoPosition() {
		assertThat(Line.of(List.of("a-lock-0000000001")).positionOf("b-lock-0000000002", LockMode.EXCLUSIVE)).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "a-lock--2147483648", "a-lock-2147483647", "a-lock-2147418111" })
	void numbersNearTheirEndAreNotTrusted(String name) {
		assertThat(Line.of(List.of(name, "b-lock-0000000002")).needsCzxids()).isTrue();
		assertThat(Line.of(List.of("b-lock-0000000002", "a-lock-2147418110")).needsCzxids()).isFalse();
	}

	@Test
	void theLineIsThenOrderedByWhenNodesWereCreated() {
		Line line = Line
			.of(List.of("a-lock-2147483647", "b-lock-2147483647", "c-lock--2147483648", "d-lock-0000000001"));
		Line ordered = line.byCzxid(Map.of("b-lock-2147483647", 5L, "a-lock-2147483647", 6L, "c-lock--2147483648", 7L));
		assertThat(ordered.names()).extracting(LineName::name)
			.containsExactly("b-lock-2147483647", "a-lock-2147483647", "c-lock--2147483648");
	}

}
