package io.github.zklock.benchmarks.report;

import java.awt.Font;
import java.awt.font.FontRenderContext;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.github.zklock.benchmarks.peer.Contestant;
import io.github.zklock.benchmarks.run.Measurements;
import io.github.zklock.benchmarks.run.Workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

class PlotsTests {

	@TempDir
	Path directory;

	// A JDK without the system's font library cannot write on a picture
	@BeforeAll
	static void findFonts() {
		assumeTrue(canWrite() || "true".equals(System.getenv("CI")), "the JDK finds no font library");
	}

	private static boolean canWrite() {
		try {
			return new Font(Font.SANS_SERIF, Font.PLAIN, 10)
				.getStringBounds("x", new FontRenderContext(null, false, false))
				.getWidth() > 0;
		}
		catch (Error | RuntimeException ex) {
			return false;
		}
	}

	@Test
	void allPicturesAreDrawn() {
		Measurements measurements = new Measurements(
				List.of(Figures.result(Workload.OWN, Contestant.SEQUENTIAL, 900),
						Figures.result(Workload.OWN, Contestant.CURATOR_SHARED, 500),
						Figures.result(Workload.THREADS_16, Contestant.SEQUENTIAL, 50_000),
						Figures.result(Workload.THREADS_16, Contestant.CURATOR_SHARED, 0)),
				List.of(Figures.herd(Contestant.NAIVE, 10, 10), Figures.herd(Contestant.NAIVE, 1000, 1000),
						Figures.herd(Contestant.SEQUENTIAL, 10, 1), Figures.herd(Contestant.SEQUENTIAL, 1000, 1)),
				List.of());
		Plots plots = new Plots(measurements, 1, this.directory);
		plots.draw();
		assertThat(plots.pictures()).containsOnlyKeys("herd-events-1.png", "herd-grant-1.png", "locks-1.png");
		assertThat(plots.pictures().keySet())
			.allSatisfy((name) -> assertThat(this.directory.resolve(name)).isNotEmptyFile());
	}

	@Test
	void nothingIsDrawnOfNothing() {
		Plots plots = new Plots(new Measurements(List.of(), List.of(), List.of()), 1, this.directory);
		plots.draw();
		assertThat(plots.pictures()).isEmpty();
		assertThat(this.directory).isEmptyDirectory();
	}

}
