package io.github.zklock.autoconfigure;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.hint.ExecutableHint;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeHint;
import org.springframework.aot.hint.TypeReference;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.test.context.FilteredClassLoader;

import io.github.zklock.actuate.endpoint.ReleasingZkLocksEndpoint;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a native image knows.
 */
class ZkLockRuntimeHintsTests {

	private static ReflectionHints hints(ClassLoader loader) {
		RuntimeHints hints = new RuntimeHints();
		new ZkLockRuntimeHints().registerHints(hints, loader);
		return hints.reflection();
	}

	private static TypeHint endpoint(ClassLoader loader) {
		return hints(loader).getTypeHint(ReleasingZkLocksEndpoint.class);
	}

	@ParameterizedTest
	@ValueSource(strings = { "ClientCnxnSocketNIO", "ClientCnxnSocketNetty" })
	void theSocketsOfTheClientCanBeMade(String name) {
		assertThat(hints(getClass().getClassLoader()).getTypeHint(TypeReference.of("org.apache.zookeeper." + name))
			.getMemberCategories()).contains(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS);
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
