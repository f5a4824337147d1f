package io.github.zklock.benchmarks.jvm;

import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class JvmBenchmarksTests {

	@TempDir
	Path directory;

	@Test
	void theBenchmarksOfTheInterceptorRun() {
		assertThat(JvmBenchmarks.run("Interceptor", 0, 1, 20, this.directory)).extracting(JvmFigure::name)
			.containsExactlyInAnyOrder("Interceptor.withoutLock", "Interceptor.fixedKey", "Interceptor.expressionKey",
					"Interceptor.templateKey");
	}

	@Test
	void theBenchmarksOfTheKeysRun() {
		assertThat(JvmBenchmarks.run("KeyEncoding", 0, 1, 20, this.directory)).hasSize(3)
			.allMatch((figure) -> figure.score() > 0);
	}

}
