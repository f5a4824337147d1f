package io.github.zklock.zookeeper;

import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.Test;

import io.github.zklock.inspect.LockQueue;
import io.github.zklock.inspect.LockQueue.Contender;
import io.github.zklock.internal.node.ClientIdentity;
import io.github.zklock.internal.node.NodeQueue;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who holds, if some have gone between the list of the queue and the reads of its nodes.
 */
class QueueDescriptionTests {

	private static final String FIRST_PERMIT = "_c_a-2-permit-lock-0000000001";

	private static final String SECOND_PERMIT = "_c_b-2-permit-lock-0000000002";

	private static final String LOCK = "_c_c-lock-0000000003";

	private static final String FIRST_LOCK = "_c_d-lock-0000000000";

	private static final String FIRST_WRITER = "_c_e-__WRIT__0000000001";

	private static final String SECOND_WRITER = "_c_f-__WRIT__0000000002";

	private static final String LAST_WRITER = "_c_g-__WRIT__2147483647";

	private static final String LAST_LOCK = "_c_h-lock--2147483648";

	private final QueueDescription description = new QueueDescription(
			new ClientIdentity("shop", "shop-1", "host", 1, InstantSource.system()), "key", "/locks/key");

	private LockQueue described(List<String> listed, String... present) {
		Map<String, Stat> stats = Arrays.stream(present)
			.collect(Collectors.toMap(Function.identity(), (name) -> new Stat()));
		return this.description.numbered(NodeQueue.of(listed), stats, Map.of());
	}

	@Test
	void whoWaitsForAPermitThatIsHeldIsNoHolder() {
		LockQueue queue = described(List.of(FIRST_PERMIT, SECOND_PERMIT, LOCK), SECOND_PERMIT, LOCK);
		assertThat(queue.contenders()).extracting(Contender::holds).containsExactly(true, false);
	}

	@Test
	void nobodyIsShownAsHolderBehindAWriterThatMayHaveBeenDowngraded() {
		assertThat(described(List.of(FIRST_WRITER, SECOND_WRITER), SECOND_WRITER).contenders())
			.extracting(Contender::holds)
			.containsExactly(false);
		assertThat(described(List.of(LAST_WRITER, LAST_LOCK), LAST_LOCK).contenders()).extracting(Contender::holds)
			.containsExactly(false);
	}

	@Test
	void aWriterNearTheEndOfTheNumbersIsBehindAllOthers() {
		assertThat(described(List.of(LAST_WRITER, LAST_LOCK, SECOND_WRITER), SECOND_WRITER).contenders())
			.extracting(Contender::holds)
			.containsExactly(true);
	}

	@Test
	void aWriterThatWaitedIsNotMissed() {
		LockQueue queue = described(List.of(FIRST_WRITER, SECOND_WRITER, LOCK), FIRST_WRITER, LOCK);
		assertThat(queue.contenders()).extracting(Contender::holds).containsExactly(true, false);
	}

	@Test
	void whoIsBehindAReaderWithItsNumberIsNoHolderNearTheEndOfTheNumbers() {
		List<String> queue = List.of("_c_a-__READ__2147483647", LAST_WRITER);
		assertThat(described(queue, queue.toArray(String[]::new)).contenders()).extracting(Contender::holds)
			.containsExactly(true, false);
	}

	@Test
	void aKeyNodeIsNoHolder() {
		Stat stat = new Stat();
		assertThat(this.description.unnumbered(null, stat)).isNull();
		stat.setEphemeralOwner(1);
		assertThat(this.description.unnumbered(null, stat)).isNotNull();
	}

	@Test
	void permitsBehindALockThatHasGoneAreHeld() {
		LockQueue queue = described(List.of(FIRST_LOCK, FIRST_PERMIT, SECOND_PERMIT), FIRST_PERMIT, SECOND_PERMIT);
		assertThat(queue.contenders()).extracting(Contender::holds).containsExactly(true, true);
	}

}
