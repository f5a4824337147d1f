package io.github.zklock.internal.cohort;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.LockMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A writer that goes on as a reader, and who waits behind it.
 */
class CohortDowngradeTests extends HandPlayedCohorts {

	@Test
	@Tag("Cohort.I2")
	void behindADowngradedWriteReadersHaveAContenderOfTheirOwn() {
		enter("writer", LockMode.WRITE);
		Entry first = this.strategy.last();
		first.grant();
		enter("reader", LockMode.READ);
		this.held.get("writer").downgrade();
		assertThat(this.strategy.entries).as("before the answer").hasSize(1);
		first.downgraded.complete(true);
		assertThat(this.strategy.entries).hasSize(2);
		assertThat(this.strategy.last().attempt.mode()).isEqualTo(LockMode.READ);
		this.strategy.last().grant();
		assertThat(this.served).containsExactly("writer", "reader");
		assertThat(first.left).isFalse();
		assertThat(this.held.get("writer").isValid()).isTrue();
		this.held.get("writer").release();
		assertThat(first.left).isTrue();
		assertThat(this.strategy.last().left).isFalse();
	}

	@Test
	void aWriteThatIsBeingDowngradedIsHandedToNobody() {
		enter("writer", LockMode.WRITE);
		Entry first = this.strategy.last();
		first.grant();
		enter("next writer", LockMode.WRITE);
		this.held.get("writer").downgrade();
		this.held.get("writer").release();
		assertThat(first.left).isTrue();
		assertThat(this.served).containsExactly("writer");
		first.downgraded.complete(true);
		this.strategy.last().grant();
		assertThat(this.served).containsExactly("writer", "next writer");
		assertThat(this.strategy.entries).hasSize(2);
	}

	@Test
	void aWriteThatStaysOneKeepsEverybodyOutUntilItsRelease() {
		enter("writer", LockMode.WRITE);
		Entry first = this.strategy.last();
		first.grant();
		enter("reader", LockMode.READ);
		this.held.get("writer").downgrade();
		first.downgraded.complete(false);
		assertThat(this.strategy.entries).hasSize(1);
		this.held.get("writer").release();
		assertThat(first.left).isTrue();
		this.strategy.last().grant();
		assertThat(this.served).containsExactly("writer", "reader");
	}

	@Test
	void aDowngradedWriteThatIsLostIsReported() {
		enter("writer", LockMode.WRITE);
		Entry first = this.strategy.last();
		first.grant();
		this.held.get("writer").downgrade();
		first.downgraded.complete(true);
		first.lose();
		assertThat(this.served).containsExactly("writer", "writer lost");
		assertThat(this.held.get("writer").isValid()).isFalse();
		this.held.get("writer").release();
		first.gone.complete(null);
		assertThat(this.cohorts.count()).isZero();
	}

	@Test
	@Tag("Cohort.I1")
	void aWriteThatIsLostBeforeItIsDowngradedIsInNobodysWay() {
		enter("writer", LockMode.WRITE);
		Entry first = this.strategy.last();
		first.grant();
		this.held.get("writer").downgrade();
		first.lose();
		first.downgraded.complete(true);
		tryOnce("hasty", LockMode.EXCLUSIVE);
		assertThat(this.served).containsExactly("writer", "writer lost");
		this.strategy.last().grant();
		assertThat(this.served).containsExactly("writer", "writer lost", "hasty");
	}

	@Test
	void aStrategyThatFailsToDowngradeKeepsTheWrite() {
		enter("writer", LockMode.WRITE);
		Entry first = this.strategy.last();
		first.grant();
		first.failing = "downgrade";
		this.held.get("writer").downgrade();
		assertThat(this.held.get("writer").isValid()).isTrue();
		assertThat(this.served).containsExactly("writer");
		this.held.get("writer").release();
		assertThat(first.left).isTrue();
	}

	@Test
	void whatWasTakenFromASlotIsDowngradedByTheCohort() {
		Entry entry = heat(this.strategy);
		release("hot");
		SlotGrant taken = take("caller");
		taken.downgrade();
		entry.downgraded.complete(true);
		assertThat(taken.isValid()).isTrue();
		enter("reader", LockMode.READ);
		assertThat(this.strategy.last()).isNotSameAs(entry);
		this.strategy.last().grant();
		assertThat(this.served).endsWith("reader");
		assertThat(entry.left).isFalse();
		taken.release(true);
		assertThat(entry.left).isTrue();
	}

}
