package io.github.zklock.internal.session;

import java.util.ArrayList;
import java.util.List;

import org.apache.zookeeper.KeeperException.Code;
import org.junit.jupiter.api.Test;

import io.github.zklock.internal.concurrent.StepFailures;

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

}
