package io.github.zklock.actuate.endpoint;

import org.junit.jupiter.api.Test;

import io.github.zklock.testing.ClassPathWithout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * What is checked over HTTP is tested in the sample.
 */
class WrittenPathTests {

	@Test
	void withoutARequestOfHttpNothingIsChecked() {
		assertThatNoException().isThrownBy(() -> WrittenPath.requireSays("a"));
	}

	@Test
	void theWebIsNotNeeded() throws Exception {
		assertThat(ClassPathWithout.jars("spring-web").call(InsideOfTheLoader.class, "require")).isEqualTo("fine");
	}

	/**
	 * What is tested, in a class loader of its own.
	 */
	@SuppressWarnings("UnusedMethod") // by name
	static final class InsideOfTheLoader {

		private InsideOfTheLoader() {
		}

		static Object require() {
			WrittenPath.requireSays("a");
			return "fine";
		}

	}

}
