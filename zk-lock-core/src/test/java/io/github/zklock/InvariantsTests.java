package io.github.zklock;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each numbered invariant of the engine ("I2: ..." in a class's story) is carried by a
 * test, or says at its end that it holds by construction. A test carries {@code Hold.I2}
 * if it has that tag, or if its name begins with {@code i2} in {@code HoldTests} or
 * {@code HoldInterleavingTests}. The tests of all modules are read, because an answer
 * that is lost is a matter for the fault tests.
 */
class InvariantsTests {

	private static final Path ROOT = Repository.root();

	private static final Pattern INVARIANT = Pattern.compile("\\s*\\* I(\\d+): (.*)");

	private static final Pattern CONTINUATION = Pattern.compile("\\s*\\* {5}(\\S.*)");

	private static final Pattern TAG = Pattern.compile("@Tag\\(\"(\\w+)\\.I(\\d+)\"\\)");

	private static final Pattern NUMBERED_TEST = Pattern.compile("\\bvoid ((?:i\\d+)+)[A-Z]\\w*\\(");

	private static final Pattern NUMBER = Pattern.compile("\\d+");

	@Test
	void everyInvariantIsCarriedByATestOrHoldsByConstruction() throws IOException {
		Map<String, List<String>> stories = sources("zk-lock-core/src/main/java/");
		Map<String, List<String>> tests = sources("src/test/java/");
		assertThat(invariants(stories, new ArrayList<>())).as("invariants").hasSizeGreaterThan(60);
		assertThat(findings(stories, tests)).isEmpty();
	}

	@Test
	void canaryWhatIsNotCarriedWhatIsCarriedInVainAndWhatIsThereTwiceIsFound() {
		Map<String, List<String>> stories = Map.of("Door",
				List.of("/*-", " * I1: it is open or shut. By construction.", " * I2: whoever enters",
						" *     has knocked.", " * I3: it has a key.", " * By construction.", " * I4: nobody is hurt.",
						" * I4: nobody is", " *     locked in.", " * I5: it creaks. See I6: no.", " */"));
		Map<String, List<String>> tests = Map.of("DoorTests",
				List.of("@Test", "void i4i7NobodyIsHurt() {", "@Tag(\"Door.I5\")"), "HouseTests",
				List.of("@Tag(\"Window.I1\")", "void i1HasADoor() {", "void insideIsWarm() {"));
		assertThat(findings(stories, tests)).containsExactlyInAnyOrder("Door.I4 is there twice",
				"Door.I2 is carried by no test: whoever enters has knocked.",
				"Door.I3 is carried by no test: it has a key.", "DoorTests carries Door.I7, which is no invariant",
				"HouseTests carries Window.I1, which is no invariant",
				"HouseTests carries House.I1, which is no invariant");
	}

	private static List<String> findings(Map<String, List<String>> stories, Map<String, List<String>> tests) {
		List<String> findings = new ArrayList<>();
		Map<String, String> invariants = invariants(stories, findings);
		Set<String> carried = new LinkedHashSet<>();
		tests.forEach((test, lines) -> carriedBy(test, lines).forEach((name) -> {
			carried.add(name);
			if (!invariants.containsKey(name)) {
				findings.add(test + " carries " + name + ", which is no invariant");
			}
		}));
		invariants.forEach((name, text) -> {
			if (!carried.contains(name) && !text.endsWith("By construction.")) {
				findings.add(name + " is carried by no test: " + text);
			}
		});
		return findings;
	}

	private static Map<String, String> invariants(Map<String, List<String>> stories, List<String> findings) {
		Map<String, String> invariants = new LinkedHashMap<>();
		stories.forEach((type, lines) -> {
			String open = null;
			for (String line : lines) {
				Matcher begin = INVARIANT.matcher(line);
				Matcher more = CONTINUATION.matcher(line);
				if (begin.matches()) {
					open = type + ".I" + begin.group(1);
					if (invariants.put(open, begin.group(2)) != null) {
						findings.add(open + " is there twice");
					}
				}
				else if (open != null && more.matches()) {
					invariants.merge(open, more.group(1), (text, rest) -> text + " " + rest);
				}
				else {
					open = null;
				}
			}
		});
		return invariants;
	}

	private static Set<String> carriedBy(String test, List<String> lines) {
		String type = test.replaceFirst("(?:Interleaving)?(?:Tests|IT)$", "");
		Set<String> carried = new LinkedHashSet<>();
		for (String line : lines) {
			Matcher tag = TAG.matcher(line);
			while (tag.find()) {
				carried.add(tag.group(1) + ".I" + tag.group(2));
			}
			Matcher numbered = NUMBERED_TEST.matcher(line);
			if (numbered.find()) {
				NUMBER.matcher(numbered.group(1))
					.results()
					.forEach((number) -> carried.add(type + ".I" + number.group()));
			}
		}
		return carried;
	}

	private static Map<String, List<String>> sources(String folder) throws IOException {
		Map<String, List<String>> sources = new LinkedHashMap<>();
		try (Stream<Path> files = Repository.files(ROOT)) {
			for (Path file : files.filter((file) -> isSource(file, folder)).sorted().toList()) {
				String name = file.getFileName().toString();
				if (!name.equals("InvariantsTests.java")) {
					sources.put(name.replace(".java", ""), Files.readAllLines(file));
				}
			}
		}
		return sources;
	}

	private static boolean isSource(Path file, String folder) {
		String path = ROOT.relativize(file).toString().replace('\\', '/');
		return path.contains(folder) && path.endsWith(".java") && !path.endsWith("-info.java");
	}

}
