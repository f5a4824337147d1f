package io.github.zklock.testing;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;

import org.junit.jupiter.api.Test;

import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The oracle of all contests must see what it is there to see.
 */
class SectionTests {

	private final Section section = new Section();

	@Test
	void oneAfterTheOtherIsNoViolation() {
		this.section.enter(new Pass(LockMode.WRITE, 256, true));
		this.section.enter(new Pass(LockMode.READ, 257, true));
		this.section.enter(new Pass(LockMode.EXCLUSIVE, 512, true));
		assertThat(this.section.violations()).isEmpty();
		assertThat(this.section.entered()).isEqualTo(3);
	}

	@Test
	void twoWritersAtOnceAreAViolation() {
		together(LockMode.WRITE, LockMode.EXCLUSIVE);
		assertThat(this.section.violations()).anyMatch((line) -> line.contains("writers and"));
	}

	@Test
	void aReaderWithAWriterIsAViolation() {
		together(LockMode.WRITE, LockMode.READ);
		assertThat(this.section.violations()).anyMatch((line) -> line.contains("writers and"));
	}

	@Test
	void readersTogetherAreNoViolation() {
		together(LockMode.READ, LockMode.READ);
		assertThat(this.section.violations()).isEmpty();
		assertThat(this.section.mostReaders()).isEqualTo(2);
	}

	@Test
	void aTokenThatDoesNotGrowIsAViolation() {
		this.section.enter(new Pass(LockMode.WRITE, 512, true));
		this.section.enter(new Pass(LockMode.WRITE, 512, true));
		assertThat(this.section.violations()).containsExactly("token 512 after 512");
	}

	@Test
	void aReadersTokenBelowAnEarlierWritersIsAViolation() {
		this.section.enter(new Pass(LockMode.WRITE, 512, true));
		this.section.enter(new Pass(LockMode.READ, 511, true));
		assertThat(this.section.violations()).containsExactly("reader's token 511 after writer's 512");
	}

	@Test
	void aHandleThatIsNotHeldIsAViolation() {
		this.section.enter(new Pass(LockMode.WRITE, 256, false));
		assertThat(this.section.violations()).containsExactly("WRITE of 'key' was not held at the end");
	}

	private void together(LockMode one, LockMode other) {
		CyclicBarrier barrier = new CyclicBarrier(2);
		try (Actor first = new Actor("first"); Actor second = new Actor("second")) {
			CompletableFuture<Void> entered = first.call(() -> {
				this.section.enter(new Pass(one, 256, true, barrier));
				return null;
			});
			second.run(() -> this.section.enter(new Pass(other, 512, true, barrier)));
			Actor.get(entered);
		}
	}

	/**
	 * A handle from nowhere. With a barrier it makes the section wait, in its middle, for
	 * the other one to be there too.
	 */
	private record Pass(LockMode mode, long fencingToken, boolean isHeld, CyclicBarrier barrier) implements LockHandle {

		Pass(LockMode mode, long fencingToken, boolean isHeld) {
			this(mode, fencingToken, isHeld, null);
		}

		@Override
		public boolean isHeld() {
			if (this.barrier != null) {
				try {
					this.barrier.await();
				}
				catch (Exception ex) {
					throw new IllegalStateException(ex);
				}
			}
			return this.isHeld;
		}

		@Override
		public String key() {
			return "key";
		}

		@Override
		public List<String> keys() {
			return List.of("key");
		}

		@Override
		public void onLost(Runnable action) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void release() {
			throw new UnsupportedOperationException();
		}

		@Override
		public CompletableFuture<Void> releaseAsync() {
			throw new UnsupportedOperationException();
		}

	}

}
