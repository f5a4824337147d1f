package io.github.zklock.spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
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
@Tag("slow")
class SpecificationTests {

	private static final Map<String, Future<TlcRun>> runs = new HashMap<>();

	private static final ExecutorService processes = Executors
		.newFixedThreadPool(Runtime.getRuntime().availableProcessors());

	@TempDir
	static Path scratch;

	// All at once, one for each processor: most of their time is the start of a JVM,
	// which the classes that a run before them loaded make shorter
	@BeforeAll
	static void startRuns() throws Exception {
		Path classes = scratch.resolve("classes.jsa");
		TlcRun.of("models/PermitsMany.cfg", 1, scratchOf("classes"), "-XX:ArchiveClassesAtExit=" + classes);
		for (String folder : List.of("models", "mistakes")) {
			for (String name : configurations(folder)) {
				String configuration = folder + "/" + name;
				runs.put(configuration, processes.submit(() -> TlcRun.of(configuration, 1, scratchOf(configuration),
						"-XX:SharedArchiveFile=" + classes)));
			}
		}
	}

	@AfterAll
	static void stopRuns() {
		processes.shutdownNow();
	}

	private static Path scratchOf(String configuration) throws IOException {
		return Files.createDirectories(scratch.resolve(configuration));
	}

	@ParameterizedTest
	@CsvSource({ "Again, 48000", "Cohort, 59000", "CohortBypassLive, 3500", "CohortLive, 1100", "CohortTokens, 21000",
			"CohortTries, 4000", "CohortTriesLive, 650", "CohortTriesOthersLive, 900", "CohortWaking, 81000",
			"CohortWakingLive, 1100", "Downgrade, 11000", "DowngradeFaults, 210000", "DowngradeHerd, 10500",
			"Job, 40000", "JobEnds, 87000", "JobRemoved, 196000", "JobTakesOver, 163000", "Lease, 128000",
			"LeaseElected, 262000", "LeaseFrozen, 228000", "Meddled, 6500", "Mixed, 2200", "Naive, 9600",
			"NaiveFaults, 5300", "NaiveTwice, 2700", "Notes, 11000", "NotesDowngrade, 12600", "NotesFaults, 29800",
			"NotesReadWrite, 10500", "Permits, 11500", "PermitsGivenUp, 18500", "PermitsLocked, 1600",
			"PermitsMany, 400", "PermitsRolling, 400", "PermitsTighter, 350", "ReadWrite, 9600", "ReadWriteHerd, 2700",
			"Rolling, 22000", "RollingLive, 1200", "Sequential, 37000", "SequentialFaults, 25000",
			"SequentialLive, 1700", "Slot, 191000" })
	void keepsThePromises(String model, int leastStates) throws Exception {
		TlcRun run = runs.get("models/" + model + ".cfg").get();
		assertThat(run.violation()).as(run.output()).isEmpty();
		assertThat(run.isComplete()).as(run.output()).isTrue();
		assertThat(run.distinctStates()).isGreaterThanOrEqualTo(leastStates);
	}

	@ParameterizedTest
	@CsvSource({ "AnyEnd, NoMoreThanAllowed", "AnyEvent, MutualExclusion", "AnyNote, MutualExclusion",
			"BlindClose, HeldIsTrue", "BlindDelete, MutualExclusion", "BlindReturn, ClosedIsClosed",
			"DrainedNode, HeldIsTrue", "EndNotAwaited, NoTwoWithin", "EndUnlocked, EndsOwn", "Forgotten, NothingLeft",
			"IdleIsBusy, RetainedIsFree", "LeaseCut, LeaseIsTrue", "LeaseDeposed, LeaseIsTrue",
			"LeaseDoomed, LeaseIsTrue", "LeaseFromAnswer, LeaseIsTrue", "LeaseFromRead, LeaseIsTrue",
			"LeaseFrozen, LeaseIsTrue", "LeaseKept, LeaseIsTrue", "LeaseNewest, LeaseIsTrue", "LeaseOften, LeaseIsTrue",
			"LeaseOwn, LeaseIsTrue", "LeasePassed, LeaseIsTrue", "LeaseSoon, LeaseIsTrue", "LeaseStill, LeaseIsTrue",
			"LeaseTwo, LeaseIsTrue", "LeftFirst, OneHolder", "LeftRunning, NothingLeft",
			"LingerOn, Temporal properties were violated.", "LockPassed, InOrder", "ManyTokens, TokensInOrder",
			"MarkNone, NoneIdle", "MarkUnread, NoneIdle", "MarkUnsent, NoneIdle", "MarkVersion, NoTwoWithin",
			"NeverAwake, Temporal properties were violated.", "NewNumber, MutualExclusion",
			"NoBound, Temporal properties were violated.", "NoLease, HeldIsTrue", "NoSyncCreate, OneNodeEach",
			"NoSyncDelete, MutualExclusion", "NotAwaited, NobodySkips", "Overtake, Temporal properties were violated.",
			"OwnNumber, NoMoreThanAllowed", "PassLost, TokensInOrder", "PassWrite, Temporal properties were violated.",
			"PlaceApart, MutualExclusion", "ReadNote, MutualExclusion", "ReleasedEarly, NothingLeft",
			"SameToken, TokensInOrder", "SequenceToken, TokensInOrder", "StaleName, NothingLeft",
			"TokenApart, TokensInOrder", "UnmadePlace, MutualExclusion", "VanishedDelete, MutualExclusion",
			"WriteWatched, MutualExclusion" })
	void findsThePlantedMistake(String mistake, String invariant) throws Exception {
		TlcRun run = runs.get("mistakes/" + mistake + ".cfg").get();
		assertThat(run.violation()).as(run.output()).hasValue(invariant);
	}

	@ParameterizedTest
	@MethodSource("largeModels")
	@EnabledIfSystemProperty(named = "spec.large", matches = ".*", disabledReason = "takes many minutes")
	void keepsThePromisesWithinLargerBounds(String model) throws Exception {
		TlcRun run = TlcRun.of("large/" + model, Runtime.getRuntime().availableProcessors(),
				scratchOf("large/" + model));
		System.out.printf("%s: %,d distinct states%n", model, run.distinctStates());
		assertThat(run.violation()).as(run.output()).isEmpty();
		assertThat(run.isComplete()).as(run.output()).isTrue();
	}

	@ParameterizedTest
	@CsvSource("LeaseThree, LeaseIsTrue")
	@EnabledIfSystemProperty(named = "spec.large", matches = ".*", disabledReason = "takes some minutes")
	void findsThePlantedMistakeWithinLargerBounds(String mistake, String invariant) throws Exception {
		String configuration = "large-mistakes/" + mistake + ".cfg";
		TlcRun run = TlcRun.of(configuration, Runtime.getRuntime().availableProcessors(), scratchOf(configuration));
		assertThat(run.violation()).as(run.output()).hasValue(invariant);
	}

	@Test
	void everyConfigurationIsTested() throws IOException {
		assertThat(testedNames("keepsThePromises", int.class)).containsExactlyElementsOf(configurations("models"));
		assertThat(testedNames("findsThePlantedMistake", String.class))
			.containsExactlyElementsOf(configurations("mistakes"));
		assertThat(testedNames("findsThePlantedMistakeWithinLargerBounds", String.class))
			.containsExactlyElementsOf(configurations("large-mistakes"));
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
