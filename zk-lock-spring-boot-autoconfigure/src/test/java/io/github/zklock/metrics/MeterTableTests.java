package io.github.zklock.metrics;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import io.github.zklock.observation.LockObservationDocumentation;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holds the tables of meters and observations in the documentation to the enums.
 */
class MeterTableTests {

	private static final Path DOCUMENTATION = Path.of("..", "docs", "operations.md");

	private static String row(LockMeterDocumentation meter) {
		String tags = Arrays.stream(meter.getKeyNames())
			.map((key) -> "`" + key.asString() + "`")
			.collect(Collectors.joining(", "));
		return "| `%s` | %s | %s | %s |".formatted(meter.getName(), meter.getType().name().toLowerCase(Locale.ROOT),
				tags, meter.getDescription());
	}

	private static List<String> rows() throws IOException {
		return Files.readAllLines(DOCUMENTATION).stream().filter((line) -> line.startsWith("| `zk.lock.")).toList();
	}

	@Test
	void theTableHasAllMetersWithTheirTypesAndTags() throws IOException {
		List<String> documented = rows().stream().filter((row) -> !row.contains("observation")).toList();
		assertThat(documented).containsExactlyElementsOf(
				Arrays.stream(LockMeterDocumentation.values()).map(MeterTableTests::row).toList());
	}

	@Test
	void theTableHasAllObservationsWithTheirKeys() throws IOException {
		List<String> documented = rows().stream()
			.filter((row) -> row.contains("observation"))
			.map((row) -> row.substring(0, row.lastIndexOf(" |", row.length() - 3)))
			.toList();
		String keys = Arrays.stream(LockObservationDocumentation.Attribute.values())
			.map((key) -> "`" + key.asString() + "`")
			.collect(Collectors.joining(", "));
		assertThat(documented).containsExactlyElementsOf(Arrays.stream(LockObservationDocumentation.values())
			.map((observation) -> "| `%s` | observation | %s".formatted(observation.getName(), keys))
			.toList());
	}

}
