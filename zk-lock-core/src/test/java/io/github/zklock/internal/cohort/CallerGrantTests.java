package io.github.zklock.internal.cohort;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import org.junit.jupiter.api.Test;

import io.github.zklock.spi.Grant;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a caller has of a grant that others get after it.
 */
class CallerGrantTests {

	@Test
	void i1AfterItsReleaseItIsNotValidAlthoughTheGrantIs() {
		assertNotValidAfter(LocalGrant::release);
	}

	@Test
	void i1WhoGivesItUpDoesNotHaveItAlthoughTheGrantIsValid() {
		assertNotValidAfter(LocalGrant::forfeit);
	}

	@Test
	void i1AfterItsReleaseItDowngradesNothing() {
		AtomicInteger downgrades = new AtomicInteger();
		CallerGrant own = new CallerGrant(new EndlessGrant(0), 1, false, (mayLinger) -> new CompletableFuture<>(),
				CompletableFuture::new, downgrades::incrementAndGet);
		own.downgrade();
		assertThat(downgrades).hasValue(1);
		assertThat(own.release()).isNotNull();
		own.downgrade();
		assertThat(downgrades).hasValue(1);
	}

	private static void assertNotValidAfter(Function<LocalGrant, CompletionStage<Void>> end) {
		Grant grant = new EndlessGrant(0);
		CallerGrant own = new CallerGrant(grant, 1, false, (mayLinger) -> new CompletableFuture<>(),
				CompletableFuture::new, () -> {
				});
		assertThat(own.isValid()).isTrue();
		assertThat(end.apply(own)).isNotNull();
		assertThat(grant.isValid()).isTrue();
		assertThat(own.isValid()).isFalse();
	}

}
