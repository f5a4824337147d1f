package io.github.zklock.drill;

import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.github.zklock.drill.Capacity.Kind;
import io.github.zklock.drill.Capacity.Row;
import io.github.zklock.harness.EnsembleProcesses;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What the arithmetic of docs/scale.md rests on.
 */
@Tag("slow")
class CapacityIT {

	@TempDir
	private static Path directory;

	private static EnsembleProcesses ensemble;

	@BeforeAll
	static void start() {
		ensemble = ThreeServers.start(directory);
	}

	@AfterAll
	static void stop() {
		ensemble.close();
	}

	@Test
	void aLockOfItsOwnKeyCostsTwoWrites() {
		awaitWritesForEachLock(Kind.OWN_KEYS, 1.5, 2.5);
	}

	@Test
	void aRetainedLockCostsNearlyNoWrite() {
		awaitWritesForEachLock(Kind.RETAINED_KEYS, 0, 0.5);
	}

	@Test
	void aLockThatIsHandedOffCostsNearlyNoWrite() {
		awaitWritesForEachLock(Kind.ONE_KEY_OF_ONE_INSTANCE, 0, 0.5);
	}

	// What is under way when a turn begins and ends matters less if it has many locks
	private static void awaitWritesForEachLock(Kind kind, double least, double most) {
		await().atMost(Duration.ofMinutes(2)).untilAsserted(() -> {
			Row row = new Capacity(ensemble, Duration.ofMillis(500), Duration.ofSeconds(1)).measure(kind, 16);
			assertThat(row.writes() / row.locks()).as(row.toString()).isBetween(least, most);
		});
	}

}
