package io.github.zklock.drill;

import java.nio.file.Path;

import io.github.zklock.harness.EnsembleProcesses;
import io.github.zklock.harness.EnsembleProcesses.Host;
import io.github.zklock.harness.ServerSettings;

/**
 * The three ZooKeeper servers, set up as where it matters, but for shorter ticks.
 */
final class ThreeServers {

	private ThreeServers() {
	}

	static EnsembleProcesses start(Path directory) {
		return EnsembleProcesses.start(directory, Host.local(3),
				ServerSettings.durable()
					.with("tickTime=500", "initLimit=40", "syncLimit=20", "-Xmx256m", "-XX:TieredStopAtLevel=1",
							"-Djava.io.tmpdir=" + directory));
	}

}
