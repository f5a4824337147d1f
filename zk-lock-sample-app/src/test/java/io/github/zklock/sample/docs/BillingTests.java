package io.github.zklock.sample.docs;

import java.util.List;
import java.util.OptionalLong;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import io.github.zklock.LeaderElection;
import io.github.zklock.LockHandle;
import io.github.zklock.test.AutoConfigureZkLockTest;
import io.github.zklock.test.LockTester;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The example of docs/leader-election.md.
 */
@SpringBootTest(webEnvironment = WebEnvironment.NONE, properties = "spring.config.import=classpath:readme/leader.yml")
@AutoConfigureZkLockTest
class BillingTests {

	@Autowired
	Billing billing;

	@Autowired
	LockTester locks;

	@Test
	void collectsOnTheLeaderOnly() throws InterruptedException {
		await().until(this.billing.election()::isLeader);
		this.billing.collect();
		assertThat(this.billing.seen()).anyMatch((step) -> step.startsWith("collected"));
		this.billing.election().withdraw().join();
		int before = this.billing.seen().size();
		try (LockHandle another = this.locks.hold(LeaderElection.key("billing"))) {
			this.billing.election().stand();
			this.billing.collect();
			assertThat(this.billing.seen()).hasSize(before);
			assertThat(another.isHeld()).isTrue();
		}
		await().until(this.billing.election()::isLeader);
	}

	@Test
	void eventsComeInOrder() {
		await().until(this::hasSeenItsTerm);
		List<String> before = events();
		this.locks.expireSession();
		await().until(() -> events().size() > before.size() && hasSeenItsTerm());
		List<String> events = events();
		assertThat(events).startsWith(before.toArray(String[]::new));
		for (int i = 0; i < events.size(); i++) {
			assertThat(events.get(i)).startsWith((i % 2 == 0) ? "granted " : "revoked");
		}
		assertThat(events.stream().filter((event) -> event.startsWith("granted ")).map(BillingTests::term).toList())
			.hasSizeGreaterThan(1)
			.isSorted()
			.doesNotHaveDuplicates();
	}

	private boolean hasSeenItsTerm() {
		OptionalLong term = this.billing.election().term();
		return term.isPresent() && this.billing.seen().contains("granted " + term.getAsLong());
	}

	private List<String> events() {
		return this.billing.seen().stream().filter((step) -> !step.startsWith("collected")).toList();
	}

	private static long term(String granted) {
		return Long.parseLong(granted.substring("granted ".length()));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Billing.class)
	static class Application {

	}

}
