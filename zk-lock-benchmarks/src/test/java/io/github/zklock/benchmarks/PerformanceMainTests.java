package io.github.zklock.benchmarks;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import io.github.zklock.benchmarks.peer.Contestant;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("slow")
class PerformanceMainTests {

	@TempDir
	Path directory;

	private final StringWriter printed = new StringWriter();

	@Test
	@Timeout(180)
	void oneCommandMeasuresAndWritesThePage() {
		assertThat(PerformanceMain.commandLine()
			.setOut(new PrintWriter(this.printed, true))
			.execute("-quick", "-workloads", "retain,open_loop", "-contestants", "retained,sequential,curator_shared",
					"-herds", "none", "-no-jmh", "-no-redis", "-work", this.directory.toString()))
			.isZero();
		assertThat(this.printed.toString()).contains("### 8 own keys in turn, 1 client, retain on",
				"| " + Contestant.RETAINED.title() + " |", "| " + Contestant.CURATOR_SHARED.title() + " |",
				"| at least 1,500 x Curator |", "-Dperformance.args=\"-quick -workloads retain,open_loop -contestants ",
				"### one key, 4 JVMs x 8 threads, open loop", "| lock | % of capacity | arrivals/s | granted/s |",
				"| " + Contestant.SEQUENTIAL.title() + " | 30 |", "| " + Contestant.SEQUENTIAL.title() + " | 90 |");
		assertThat(this.directory.resolve("performance.md")).content()
			.contains("### 8 own keys in turn, 1 client, retain on")
			.doesNotContain(this.directory.toString());
	}

}
