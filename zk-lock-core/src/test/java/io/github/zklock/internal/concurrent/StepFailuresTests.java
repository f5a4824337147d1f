package io.github.zklock.internal.concurrent;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class StepFailuresTests {

	private final StepFailures failures = new StepFailures();

	@Test
	void i1WhatLoggingThrowsIsDropped() {
		this.failures.report(this, new Unspeakable());
		assertThat(this.failures.count()).isOne();
	}

	@Test
	void aPartThatThrowsIsReported() {
		this.failures.contain(this, () -> {
			throw new NoClassDefFoundError("planted");
		});
		assertThat(this.failures.count()).isOne();
	}

	/** Throws when a logger asks for its words. */
	private static final class Unspeakable extends RuntimeException {

		private static final long serialVersionUID = 1L;

		@Override
		public String getMessage() {
			throw new OutOfMemoryError("planted");
		}

	}

}
