package io.github.zklock;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Requests that are put together.
 */
class LockRequestTests {

	@Test
	void joinedRequestsHaveAllKeysEachInItsOwnMode() {
		LockRequest joined = LockRequest.read("a").and(LockRequest.write("b")).and(LockRequest.exclusive("c"));
		assertThat(joined.keys()).containsExactly("a", "b", "c");
		assertThat(joined.modes()).containsExactly(LockMode.READ, LockMode.WRITE, LockMode.EXCLUSIVE);
		assertThat(joined.mode()).isEqualTo(LockMode.EXCLUSIVE);
		assertThat(joined).hasToString(
				"LockRequest[keys=[a, b, c], mode=[READ, WRITE, EXCLUSIVE], timeout=null, strategy=null, maxHold=null]");
	}

	@Test
	void aKeyThatComesTwiceIsAskedForOnceInTheStrongerMode() {
		LockRequest readers = LockRequest.keys(List.of("a", "b")).mode(LockMode.READ);
		LockRequest joined = readers.and(LockRequest.write("b")).and(LockRequest.read("b")).and(readers);
		assertThat(joined.keys()).containsExactly("a", "b");
		assertThat(joined.modes()).containsExactly(LockMode.READ, LockMode.WRITE);
		assertThat(joined.and(LockRequest.exclusive("b")).modes()).containsExactly(LockMode.READ, LockMode.EXCLUSIVE);
	}

	@Test
	void theStrongerOfTwoModesDoesNotDependOnTheirOrder() {
		List<LockMode> rising = List.of(LockMode.READ, LockMode.WRITE, LockMode.EXCLUSIVE);
		for (int one = 0; one < rising.size(); one++) {
			for (int other = 0; other < rising.size(); other++) {
				assertThat(rising.get(one).strongest(rising.get(other))).isEqualTo(rising.get(Math.max(one, other)));
			}
		}
	}

	@Test
	void whatOneOfThemSaysAppliesToAll() {
		Object owner = new Object();
		LockRequest joined = LockRequest.read("a")
			.timeout(Duration.ofSeconds(2))
			.template("a-template")
			.and(LockRequest.write("b").strategy("naive").maxHold(Duration.ofSeconds(9)).owner(owner).template("b"))
			.and(LockRequest.write("c").timeout(Duration.ofSeconds(2)));
		assertThat(joined.timeout()).isEqualTo(Duration.ofSeconds(2));
		assertThat(joined.strategy()).isEqualTo("naive");
		assertThat(joined.maxHold()).isEqualTo(Duration.ofSeconds(9));
		assertThat(joined.owner()).isSameAs(owner);
		assertThat(joined.template()).isEqualTo("a-template, b");
		assertThat(LockRequest.read("a").and(LockRequest.read("b")).template()).isNull();
		assertThat(joined.answerTimeout()).isNull();
		assertThat(joined.and(LockRequest.read("d").answerTimeout(Duration.ofSeconds(1))).answerTimeout())
			.isEqualTo(Duration.ofSeconds(1));
	}

	@Test
	void eachChangeKeepsTheRest() {
		Object owner = new Object();
		LockRequest all = LockRequest.write("a")
			.answerTimeout(Duration.ofSeconds(3))
			.timeout(Duration.ZERO)
			.strategy("naive")
			.maxHold(Duration.ofSeconds(9))
			.owner(owner)
			.template("letters")
			.mode(LockMode.READ);
		assertThat(all).hasToString(
				"LockRequest[keys=[a], mode=READ, timeout=PT0S, answerTimeout=PT3S, strategy=naive, maxHold=PT9S, owner="
						+ owner + ", template=letters]");
		assertThat(all.owner()).isSameAs(owner);
		assertThat(all.template()).isEqualTo("letters");
	}

	@Test
	void requestsThatSayTheSameAreEqual() {
		LockRequest asked = LockRequest.read("a").and(LockRequest.write("b"));
		assertThat(asked).isEqualTo(LockRequest.read("a").and(LockRequest.write("b")))
			.hasSameHashCodeAs(LockRequest.read("a").and(LockRequest.write("b")))
			.isNotEqualTo("a");
		List<LockRequest> others = List.of(LockRequest.read("a"), LockRequest.write("b").and(LockRequest.read("a")),
				asked.mode(LockMode.READ), asked.and(LockRequest.permits("c", 2)), asked.timeout(Duration.ZERO),
				asked.answerTimeout(Duration.ofSeconds(1)), asked.strategy("naive"),
				asked.maxHold(Duration.ofSeconds(1)), asked.owner("ada"), asked.template("letters"));
		assertThat(others).doesNotHaveDuplicates().doesNotContain(asked);
		assertThat(LockRequest.permits("c", 2)).isNotEqualTo(LockRequest.permits("c", 3))
			.isNotEqualTo(LockRequest.exclusive("c"));
	}

	@Test
	void aTryWaitsForAnAnswerForSomeTime() {
		for (Duration none : List.of(Duration.ZERO, Duration.ofNanos(-1))) {
			assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.read("a").answerTimeout(none))
				.withMessage("answerTimeout must be positive, but is " + none);
		}
	}

	@Test
	void requestsThatContradictEachOtherAreRefused() {
		LockRequest two = LockRequest.read("a").timeout(Duration.ofSeconds(2));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> two.and(LockRequest.write("b").timeout(Duration.ofSeconds(3))))
			.withMessageContaining("the time-out of one is PT2S, and of the other PT3S");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> two.strategy("naive").and(LockRequest.write("b").strategy("sequential")))
			.withMessageContaining("strategy");
	}

	@Test
	void aModeForAllKeysReplacesTheirOwn() {
		LockRequest joined = LockRequest.read("a").and(LockRequest.write("b")).mode(LockMode.READ);
		assertThat(joined.modes()).containsExactly(LockMode.READ, LockMode.READ);
		assertThat(joined.mode()).isEqualTo(LockMode.READ);
	}

}
