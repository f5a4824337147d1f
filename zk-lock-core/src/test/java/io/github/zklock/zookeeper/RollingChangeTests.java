package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.Handoff;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.ContendingCallers;
import io.github.zklock.fixture.OneTry;
import io.github.zklock.fixture.Section;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.fixture.ZooKeeperFixture.ClientSpec;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What docs/operations.md says of instances that are changed one after the other.
 */
@Timeout(60)
class RollingChangeTests {

	private static final Map<String, UnaryOperator<ClientSpec>> CHANGES = Map.of("strategy",
			(spec) -> spec.strategy("naive"), "retain",
			(spec) -> spec
				.with((builder) -> builder.handoff(new Handoff(256, Duration.ofMillis(100), Duration.ofSeconds(1)))),
			"handoff",
			(spec) -> spec.with((builder) -> builder.handoff(new Handoff(0, Duration.ofMillis(100), Duration.ZERO))),
			"session", (spec) -> spec.session(Duration.ofSeconds(9)), "max-held", (spec) -> spec.maxHeld("*", 1),
			"names", (spec) -> spec.instance("another").with((builder) -> builder.application("another")), "nested",
			(spec) -> spec.with((builder) -> builder.nestedKeys(true)));

	private static final String KEY = "orders";

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	@ParameterizedTest
	@ValueSource(strings = { "strategy", "retain", "handoff", "session", "max-held", "names", "nested" })
	void callersOfBothKindsOfInstancesNeverOverlap(String change) {
		ContendingCallers callers = ContendingCallers.between(this.zk.client().open(), changed(change)).rounds(15);
		LockMode[] modes = LockMode.values();
		Section section = callers.run((round) -> LockRequest.exclusive(KEY).mode(modes[round % modes.length]));
		assertThat(section.violations()).isEmpty();
		assertThat(section.entered()).isEqualTo(callers.entries());
	}

	@ParameterizedTest
	@ValueSource(strings = { "root", "prefix", "nested" })
	void whereTheNodesAreElsewhereBothHold(String change) throws Exception {
		LockRequest request = LockRequest.exclusive("orders/42");
		LockClient former = this.zk.client().open();
		LockClient next = switch (change) {
			case "root" -> this.zk.client().root(this.zk.root() + "/next").open();
			case "prefix" -> this.zk.client().with((builder) -> builder.keyPrefix("shop:")).open();
			default -> changed(change);
		};
		try (LockHandle one = former.acquire(request); LockHandle other = next.acquire(request)) {
			assertThat(List.of(one, other)).allMatch(LockHandle::isHeld);
		}
	}

	@Test
	void whoTakesTheOldKeyAndTheNewOneExcludesThoseWhoTakeEither() throws Exception {
		LockClient former = this.zk.client().open();
		LockClient between = this.zk.client().open();
		LockClient next = this.zk.client().open();
		LockRequest both = LockRequest.keys(List.of(KEY, "com.example.orders"));
		try (LockHandle handle = between.acquire(both)) {
			assertThat(OneTry.of(former, LockRequest.exclusive(KEY))).isEmpty();
			assertThat(OneTry.of(next, LockRequest.exclusive("com.example.orders"))).isEmpty();
			assertThat(handle.isHeld()).isTrue();
		}
		for (String one : both.keys()) {
			try (LockHandle handle = former.acquire(LockRequest.exclusive(one))) {
				assertThat(OneTry.of(between, both)).isEmpty();
				assertThat(handle.isHeld()).isTrue();
			}
		}
	}

	private LockClient changed(String change) {
		return CHANGES.get(change).apply(this.zk.client()).open();
	}

}
