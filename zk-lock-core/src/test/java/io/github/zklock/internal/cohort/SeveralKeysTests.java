package io.github.zklock.internal.cohort;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.LockException;
import io.github.zklock.LockMode;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.LockAttempt;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Callers of several keys at once.
 */
class SeveralKeysTests extends HandPlayedCohorts {

	@Test
	void aGrantOfSeveralKeysThatCannotBeReleasedIsForgotten() {
		List<LocalGrant> granted = new ArrayList<>();
		this.cohorts.enter(new LockAttempt(List.of("key", "stock"), LockMode.EXCLUSIVE, false, "one"), this.strategy,
				new Caller("one") {
					@Override
					public void granted(List<LocalGrant> localGrants) {
						granted.addAll(localGrants);
					}
				});
		Entry first = this.strategy.entries.get(0);
		first.failing = "release";
		first.grant();
		assertThat(granted.get(0).release()).isCompleted();
		assertThat(granted.get(0).forfeit()).isCompleted();
	}

	@Test
	@Tag("MultiKeyContender.I1")
	void severalKeysThatAreReleasedBeforeTheStrategyHasReturnedAreLeft() {
		this.strategy.grantsAtOnce = true;
		this.cohorts.enter(new LockAttempt(List.of("key", "stock"), LockMode.EXCLUSIVE, false, "one"), this.strategy,
				new Caller("one") {
					@Override
					public void granted(List<LocalGrant> localGrants) {
						super.granted(localGrants);
						LocalGrant.releaseAll(localGrants);
					}
				});
		assertThat(this.served).containsExactly("one");
		assertThat(this.strategy.last().left).isTrue();
	}

	@Test
	void whoWaitsForSeveralKeysSeesWhoIsInTheWayAndWhatDisturbs() {
		LocalContender one = several("one", true);
		assertThat(one.blocker()).isNull();
		assertThat(one.disturbance()).isNull();
		Blocker blocker = new Blocker("stock", "another client", true, null);
		this.strategy.last().listener.awaits(blocker);
		assertThat(one.blocker()).isEqualTo(blocker);
		Blocker next = new Blocker("key", "another client", true, null);
		this.strategy.last().listener.blocked(next);
		assertThat(one.blocker()).isEqualTo(next);
		Exception disturbance = new LockException("planted");
		this.strategy.last().listener.disturbed(disturbance);
		assertThat(one.disturbance()).isSameAs(disturbance);
	}

	@Test
	void whoTriesSeveralKeysOncePassesNobodyWhoWaitsForOneOfThem() {
		enterAndGrant("one");
		several("beside the holder", true);
		assertThat(this.strategy.entries).hasSize(2);
		LocalContender two = enter("two", LockMode.EXCLUSIVE);
		several("hasty", true);
		LocalContender three = enter("three", LockMode.EXCLUSIVE);
		two.leave();
		several("hasty too", true);
		several("patient", false);
		assertThat(this.served).containsExactly("one", "hasty busy", "hasty too busy");
		assertThat(this.strategy.entries).hasSize(3);
		three.leave();
		several("late", true);
		assertThat(this.served).containsExactly("one", "hasty busy", "hasty too busy");
		assertThat(this.strategy.entries).hasSize(4);
	}

}
