package io.github.zklock.benchmarks;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import io.github.zklock.benchmarks.peer.Contestant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

@Tag("slow")
class PerformanceMainTests {

	@TempDir
	Path directory;

	@Test
	@Timeout(180)
	void oneCommandMeasuresAndWritesThePage() {
		ByteArrayOutputStream printed = new ByteArrayOutputStream();
		PerformanceMain.measure(new PrintStream(printed, true, StandardCharsets.UTF_8), "-quick", "-workloads",
				"retain", "-contestants", "retained,curator_shared", "-herds", "none", "-no-jmh", "-no-redis", "-work",
				this.directory.toString());
		assertThat(printed.toString(StandardCharsets.UTF_8)).contains("### 8 own keys in turn, 1 client, retain on",
				"| " + Contestant.RETAINED.title() + " |", "| " + Contestant.CURATOR_SHARED.title() + " |",
				"| at least 500 x Curator |", "-Dperformance.args=\"-quick -workloads retain -contestants ");
		assertThat(this.directory.resolve("performance.md")).content()
			.contains("### 8 own keys in turn, 1 client, retain on")
			.doesNotContain(this.directory.toString());
	}

	@Test
	void anUnknownOptionIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> Arguments.parse("-fast"))
			.withMessageContaining("Unknown option -fast")
			.withMessageContaining("-quick");
	}

	@Test
	void aQuickLookDoesNotTouchTheDocumentation() {
		Arguments arguments = Arguments.parse("-into", "docs", "-quick", "-work", this.directory.toString());
		assertThat(arguments.into()).isEqualTo(this.directory);
	}

}
