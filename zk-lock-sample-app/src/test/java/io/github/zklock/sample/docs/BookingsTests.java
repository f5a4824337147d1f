package io.github.zklock.sample.docs;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.test.AutoConfigureZkLockTest;
import io.github.zklock.test.LockAssertions;
import io.github.zklock.test.LockTester;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

// tag::spring[]
@SpringBootTest(webEnvironment = WebEnvironment.NONE)
@AutoConfigureZkLockTest
class BookingsTests {

	@Autowired
	Bookings bookings;

	@Autowired
	Archive archive;

	@Autowired
	LockTester locks;

	@Test
	void seatIsStoredUnderItsLock() {
		this.archive.then(() -> LockAssertions.assertLocked("seat-1"));
		assertThat(this.bookings.book(1)).isTrue();
		assertThat(this.locks.isFree("seat-1")).isTrue();
	}

	@Test
	void seatThatAnotherInstanceHoldsIsSkipped() {
		try (LockHandle another = this.locks.hold("seat-2")) {
			assertThat(this.bookings.book(2)).isNull();
			assertThat(another.isHeld()).isTrue();
		}
		assertThat(this.archive.seats()).doesNotContain(2);
	}

	@Test
	void lossOfTheSessionIsReported() {
		this.archive.then(this.locks::expireSession);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.bookings.book(3));
	}
	// end::spring[]

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		Archive archive() {
			return new Archive();
		}

		@Bean
		Bookings bookings(Archive archive) {
			return new Bookings(archive);
		}

	}

	/**
	 * Does something when a seat is stored, once.
	 */
	static class Archive extends Bookings.Archive {

		private Runnable then = Archive::nothing;

		private static void nothing() {
		}

		void then(Runnable action) {
			this.then = action;
		}

		@Override
		void store(int seat) {
			Runnable action = this.then;
			this.then = Archive::nothing;
			action.run();
			super.store(seat);
		}

	}

}
