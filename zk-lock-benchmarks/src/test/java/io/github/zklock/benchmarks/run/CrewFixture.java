package io.github.zklock.benchmarks.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import io.github.zklock.benchmarks.peer.Contestant;
import io.github.zklock.benchmarks.worker.Load;

/**
 * With a server and workers in processes of their own.
 */
@Tag("slow")
@Timeout(120)
abstract class CrewFixture {

	static final Duration SHORT = Duration.ofMillis(100);

	@TempDir
	static Path directory;

	static Site site;

	@BeforeAll
	static void startServer() throws IOException {
		Path broken = directory.resolve("other/io/github/zklock/LockClient.class");
		Files.createDirectories(broken.getParent());
		Files.writeString(broken, "no class");
		site = new Site(new Plan(List.of(1), Duration.ZERO, List.of(), Set.of(), 1, new Heat(0, 100, SHORT), SHORT,
				SHORT, SHORT, List.of(), 2, Further.none(), false, directory, null, directory.resolve("other")), 1);
	}

	@AfterAll
	static void stopServer() {
		site.close();
	}

	static Crew crew(Contestant contestant, int processes, int threads, Load load) {
		return Crew.start(site, contestant, processes, threads, load,
				(process) -> site.connection(contestant, process));
	}

}
