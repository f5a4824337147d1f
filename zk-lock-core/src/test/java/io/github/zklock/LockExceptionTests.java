package io.github.zklock;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LockExceptionTests {

	// Unicode's property Bidi_Control
	@Test
	void whatChangesTheDirectionOfATextIsReplaced() {
		String text = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069";
		assertThat(LockException.printable("a" + text + "b")).isEqualTo("a" + "?".repeat(12) + "b");
		assertThat(new LockException(text)).hasMessage("?".repeat(12));
	}

	@Test
	void aFailureOfTheEngineNamesAllKeysAndItsCause() {
		Exception cause = new IllegalStateException("planted");
		assertThat(LockException.engineFailed(List.of("a\n"), cause)).hasMessage("The lock engine failed for lock 'a?'")
			.hasCause(cause);
		assertThat(LockException.engineFailed(List.of("a", "b"), cause))
			.hasMessage("The lock engine failed for locks [a, b]");
	}

}
