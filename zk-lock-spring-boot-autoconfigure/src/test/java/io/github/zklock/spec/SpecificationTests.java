package io.github.zklock.spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks the specification in {@code docs/spec} with TLC: the models hold, and each
 * planted mistake violates the promise that it breaks.
 */
class SpecificationTests {

	@TempDir
	Path scratch;

	@ParameterizedTest
	@CsvSource({ "Lease, 70000", "Meddled, 6500", "Mixed, 4800", "Naive, 9600", "NaiveFaults, 5300", "NaiveTwice, 2700",
			"ReadWrite, 15000", "ReadWriteHerd, 4300", "Rolling, 11000", "RollingLive, 2000", "Sequential, 13000",
			"SequentialFaults, 37000", "SequentialLive, 2900" })
	void keepsThePromises(String model, int leastStates) throws Exception {
		TlcRun run = TlcRun.of("models/" + model + ".cfg", 1, this.scratch);
		assertThat(run.violation()).as(run.output()).isEmpty();
		assertThat(run.isComplete()).as(run.output()).isTrue();
		assertThat(run.distinctStates()).isGreaterThanOrEqualTo(leastStates);
	}

	@ParameterizedTest
	@CsvSource({ "AnyEvent, MutualExclusion", "BlindDelete, MutualExclusion", "LeaseCut, LeaseIsTrue",
			"LeaseDeposed, LeaseIsTrue", "LeaseFromAnswer, LeaseIsTrue", "LeaseFromRead, LeaseIsTrue",
			"LeaseFrozen, LeaseIsTrue", "LeaseSoon, LeaseIsTrue", "LeaseUnheard, LeaseIsTrue", "NoLease, HeldIsTrue",
			"NoSyncCreate, OneNodeEach", "NoSyncDelete, MutualExclusion", "SequenceToken, TokensInOrder",
			"UnmadePlace, MutualExclusion", "VanishedDelete, MutualExclusion" })
	void findsThePlantedMistake(String mistake, String invariant) throws Exception {
		TlcRun run = TlcRun.of("mistakes/" + mistake + ".cfg", 1, this.scratch);
		assertThat(run.violation()).as(run.output()).hasValue(invariant);
	}

	@ParameterizedTest
	@MethodSource("largeModels")
	@EnabledIfSystemProperty(named = "spec.large", matches = ".*", disabledReason = "takes many minutes")
	void keepsThePromisesWithinLargerBounds(String model) throws Exception {
		TlcRun run = TlcRun.of("large/" + model, Runtime.getRuntime().availableProcessors(), this.scratch);
		System.out.printf("%s: %,d distinct states%n", model, run.distinctStates());
		assertThat(run.violation()).as(run.output()).isEmpty();
		assertThat(run.isComplete()).as(run.output()).isTrue();
	}

	@Test
	void everyConfigurationIsTested() throws IOException {
		assertThat(testedNames("keepsThePromises", int.class)).containsExactlyElementsOf(configurations("models"));
		assertThat(testedNames("findsThePlantedMistake", String.class))
			.containsExactlyElementsOf(configurations("mistakes"));
	}

	private static Stream<String> testedNames(String test, Class<?> expectation) {
		try {
			return Stream
				.of(SpecificationTests.class.getDeclaredMethod(test, String.class, expectation)
					.getAnnotation(CsvSource.class)
					.value())
				.map((line) -> line.substring(0, line.indexOf(',')) + ".cfg");
		}
		catch (NoSuchMethodException ex) {
			throw new AssertionError(ex);
		}
	}

	private static Iterable<String> configurations(String folder) throws IOException {
		try (Stream<Path> files = Files.list(TlcRun.SPECIFICATION.resolve(folder))) {
			return files.map((file) -> file.getFileName().toString()).sorted().toList();
		}
	}

	static Iterable<String> largeModels() throws IOException {
		return configurations("large");
	}

}
