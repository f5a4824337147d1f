package io.github.zklock.sample.drill;

import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.github.zklock.sample.drill.Capacity.Kind;
import io.github.zklock.sample.drill.Capacity.Row;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the arithmetic of docs/scale.md rests on.
 */
class CapacityIT {

	@TempDir
	private static Path directory;

	private static Ensemble ensemble;

	@BeforeAll
	static void start() throws Exception {
		ensemble = Ensemble.start(directory);
	}

	@AfterAll
	static void stop() throws Exception {
		ensemble.close();
	}

	@Test
	void aLockOfItsOwnKeyCostsTwoWrites() throws Exception {
		Row row = measure(Kind.OWN_KEYS);
		assertThat(row.writes() / row.locks()).isBetween(1.5, 3.0);
	}

	@Test
	void aRetainedLockCostsNearlyNoWrite() throws Exception {
		assertCheap(measure(Kind.RETAINED_KEYS));
	}

	@Test
	void aLockThatIsHandedOverCostsNearlyNoWrite() throws Exception {
		assertCheap(measure(Kind.ONE_KEY_OF_ONE_INSTANCE));
	}

	private static Row measure(Kind kind) throws Exception {
		Row row = new Capacity(ensemble, Duration.ofMillis(500), Duration.ofSeconds(1)).measure(kind, 16);
		assertThat(row.locks()).isPositive();
		return row;
	}

	private static void assertCheap(Row row) {
		assertThat(row.writes() / row.locks()).isLessThan(0.5);
	}

}
