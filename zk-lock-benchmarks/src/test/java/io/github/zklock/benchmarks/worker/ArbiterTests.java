package io.github.zklock.benchmarks.worker;

import java.nio.file.Path;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class ArbiterTests {

	private static final int SLOT = 7;

	@TempDir
	Path directory;

	private Arbiter one;

	private Arbiter other;

	@BeforeEach
	void openTwice() {
		this.one = Arbiter.open(this.directory.resolve("memory"));
		this.other = Arbiter.open(this.directory.resolve("memory"));
	}

	@Test
	void oneAfterTheOtherIsFine() {
		this.one.exit(SLOT, false, this.one.enter(SLOT, false));
		this.other.exit(SLOT, false, this.other.enter(SLOT, false));
		assertThat(this.one.violations()).isZero();
		assertThat(this.one.writes()).isEqualTo(2);
	}

	@Test
	void readersMayMeet() {
		long seen = this.one.enter(SLOT, true);
		this.other.exit(SLOT, true, this.other.enter(SLOT, true));
		this.one.exit(SLOT, true, seen);
		assertThat(this.one.violations()).isZero();
		assertThat(this.one.writes()).isZero();
	}

	@Test
	void asManyAsThereArePermitsMayMeet() {
		this.one.enterWithPermit(SLOT, 2);
		this.other.enterWithPermit(SLOT, 2);
		assertThat(this.one.violations()).isZero();
		this.other.exit(SLOT, true, 0);
		this.other.enterWithPermit(SLOT, 2);
		assertThat(this.one.violations()).isZero();
		this.one.enterWithPermit(SLOT, 2);
		assertThat(this.one.violations()).isOne();
	}

	@Test
	void writersMayMeetInDifferentSlots() {
		long seen = this.one.enter(SLOT, false);
		this.other.exit(SLOT + 1, false, this.other.enter(SLOT + 1, false));
		this.one.exit(SLOT, false, seen);
		assertThat(this.one.violations()).isZero();
		assertThat(this.one.writes()).isEqualTo(2);
	}

	@Test
	void twoWritersAreSeenAndLoseAWrite() {
		long seen = this.one.enter(SLOT, false);
		this.other.exit(SLOT, false, this.other.enter(SLOT, false));
		this.one.exit(SLOT, false, seen);
		assertThat(this.one.violations()).isEqualTo(1);
		assertThat(this.one.writes()).isEqualTo(1);
	}

	@Test
	void aReaderBesideAWriterIsSeen() {
		long seen = this.one.enter(SLOT, false);
		this.other.exit(SLOT, true, this.other.enter(SLOT, true));
		this.one.exit(SLOT, false, seen);
		assertThat(this.other.violations()).isEqualTo(1);
	}

	@Test
	void aWriterBesideAReaderIsSeen() {
		long seen = this.one.enter(SLOT, true);
		this.other.exit(SLOT, false, this.other.enter(SLOT, false));
		this.one.exit(SLOT, true, seen);
		assertThat(this.other.violations()).isEqualTo(1);
	}

	@Test
	void everythingIsForgotten() {
		this.one.enter(SLOT, false);
		this.one.enter(SLOT, false);
		this.other.reset();
		this.one.exit(SLOT, true, this.one.enter(SLOT, true));
		assertThat(this.one.violations()).isZero();
		assertThat(this.one.writes()).isZero();
	}

}
