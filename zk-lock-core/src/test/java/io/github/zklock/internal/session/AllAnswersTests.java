package io.github.zklock.internal.session;

import java.util.ArrayList;
import java.util.List;

import org.apache.zookeeper.KeeperException.Code;
import org.junit.jupiter.api.Test;

import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.concurrent.StepFaults;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Several answers, of which one says no.
 */
class AllAnswersTests {

	@Test
	void i1ItEndsOnceBehindTheLastAnswerAndSeesWhatWasKeptOfAll() {
		List<String> kept = new ArrayList<>();
		List<String> ends = new ArrayList<>();
		AllAnswers all = new AllAnswers(new StepFailures(), 3, (code) -> ends.add(code + " " + kept));
		all.answered(Code.OK, () -> kept.add("one"));
		all.answered(Code.NONODE, () -> {
			all.answered(Code.OK, () -> kept.add("three"));
			kept.add("two");
		});
		assertThat(ends).containsExactly("NONODE [one, two, three]");
	}

	@Test
	void i1ItEndsOnceHoweverManyAnswersCannotBeKept() {
		List<Code> ends = new ArrayList<>();
		AllAnswers all = new AllAnswers(new StepFailures(), 2, ends::add);
		for (int i = 0; i < 2; i++) {
			all.answered(Code.OK, () -> {
				throw new NoClassDefFoundError("planted");
			});
		}
		assertThat(ends).containsExactly(Code.SYSTEMERROR);
	}

	@Test
	void i1ItEndsOnceAlthoughAllIsKeptBehindAFailure() {
		List<Code> ends = new ArrayList<>();
		StepFailures failures = new StepFailures();
		AllAnswers all = new AllAnswers(failures, 2, ends::add);
		StepFaults.in(failures, 1, true);
		for (int i = 0; i < 2; i++) {
			all.answered(Code.OK, () -> {
			});
		}
		assertThat(ends).containsExactly(Code.SYSTEMERROR);
	}

}
