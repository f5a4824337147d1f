package io.github.zklock.zookeeper;

import org.junit.jupiter.api.Tag;

/**
 * The same with five times as many calls.
 */
@Tag("slow")
class ManyPendingCallsTests extends PendingCallsTests {

	@Override
	int calls() {
		return 100_000;
	}

}
