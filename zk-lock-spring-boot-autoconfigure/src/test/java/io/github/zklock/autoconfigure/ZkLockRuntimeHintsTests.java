package io.github.zklock.autoconfigure;

import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.ExecutableHint;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeHint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.test.context.FilteredClassLoader;

import io.github.zklock.actuate.endpoint.ReleasingZkLocksEndpoint;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a native image knows.
 */
class ZkLockRuntimeHintsTests {

	private static TypeHint endpoint(ClassLoader loader) {
		RuntimeHints hints = new RuntimeHints();
		new ZkLockRuntimeHints().registerHints(hints, loader);
		return hints.reflection().getTypeHint(ReleasingZkLocksEndpoint.class);
	}

	@Test
	void theOperationsThatReleaseCanBeFoundAndCalled() {
		assertThat(endpoint(getClass().getClassLoader()).methods()).extracting(ExecutableHint::getName)
			.contains("release", "releaseKey");
	}

	@Test
	void withoutTheActuatorThereAreNone() {
		assertThat(endpoint(new FilteredClassLoader(Endpoint.class))).isNull();
	}

}
