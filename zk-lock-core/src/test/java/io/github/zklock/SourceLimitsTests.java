package io.github.zklock;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How long a file of main code may be, in all modules, how many types of ours a class of
 * the engine may name, and what no test may ask. What counts is what stands in the
 * source, by import or in the same package: a call that goes through what another call
 * returned names nothing.
 */
class SourceLimitsTests {

	private static final int MOST_LINES = 400;

	private static final int MOST_TYPES = 12;

	private static final Path ROOT = Repository.root();

	private static final String ENGINE = "zk-lock-core/src/main/java/";

	private static final Pattern NO_CODE = Pattern.compile("/\\*.*?\\*/|//[^\n]*|\"(?:\\\\.|[^\"\\\\\n])*\"",
			Pattern.DOTALL);

	/** AssertJ takes the end of the time for a failure too. */
	private static final Pattern UNNAMED_FAILURE = Pattern.compile("failsWithin\\((?:[^()]|\\([^()]*\\))*\\)[)\\s]*;");

	private static final Pattern IMPORT = Pattern
		.compile("(?m)^import (?:static )?(io\\.github\\.zklock(?:\\.[a-z]\\w*)*\\.[A-Z]\\w*).*;$");

	@Test
	void noFileOfMainCodeHasMoreThan400Lines() throws IOException {
		List<String> tooLong = new ArrayList<>();
		try (Stream<Path> files = Repository.files(ROOT)) {
			for (Path file : files.filter(SourceLimitsTests::isMainCode).sorted().toList()) {
				int lines = Files.readAllLines(file).size();
				if (lines > MOST_LINES && !file.toString().endsWith("Properties.java")) {
					tooLong.add(path(file) + ": " + lines);
				}
			}
		}
		assertThat(tooLong).isEmpty();
	}

	@Test
	void noClassOfTheEngineNamesMoreThanTwelveTypesOfOurs() throws IOException {
		Map<String, String> sources = new TreeMap<>();
		try (Stream<Path> files = Repository.files(ROOT)) {
			for (Path file : files.filter(SourceLimitsTests::isMainCode).toList()) {
				if (path(file).startsWith(ENGINE)) {
					sources.put(path(file).substring(ENGINE.length()).replace(".java", "").replace('/', '.'),
							Files.readString(file));
				}
			}
		}
		assertThat(sources).hasSizeGreaterThan(100);
		Map<String, Set<String>> tooMany = new TreeMap<>(named(sources));
		tooMany.values().removeIf((others) -> others.size() <= MOST_TYPES);
		assertThat(tooMany).isEmpty();
	}

	@Test
	void aTestThatWaitsForAFailureSaysWhichOne() throws IOException {
		List<String> unnamed = new ArrayList<>();
		try (Stream<Path> files = Repository.files(ROOT)) {
			for (Path file : files.filter((file) -> path(file).endsWith(".java")).sorted().toList()) {
				failuresWithoutName(Files.readString(file)).forEach((found) -> unnamed.add(path(file) + ": " + found));
			}
		}
		assertThat(unnamed).as("what also passes if the future never completes").isEmpty();
	}

	@Test
	void canaryAFailureWithoutNameIsFound() {
		assertThat(failuresWithoutName("assertThat(a).failsWithin(PATIENCE);"))
			.containsExactly("failsWithin(PATIENCE);");
		assertThat(failuresWithoutName("each((a) -> assertThat(a)\n.failsWithin(within.multipliedBy(2))\n);"))
			.hasSize(1);
		assertThat(failuresWithoutName("assertThat(a).failsWithin(PATIENCE)\n.withThrowableThat(); // failsWithin(b);"))
			.isEmpty();
	}

	private static List<String> failuresWithoutName(String source) {
		return UNNAMED_FAILURE.matcher(NO_CODE.matcher(source).replaceAll(""))
			.results()
			.map(MatchResult::group)
			.toList();
	}

	@Test
	void canaryTypesAreFoundByImportAndInTheSamePackage() {
		Map<String, String> sources = Map.of("io.github.zklock.a.One", """
				import java.util.List;
				import io.github.zklock.b.Three.Nested;
				import static io.github.zklock.b.Four.four;
				/** Not Five. */
				class One { Two two = of("Six", One.class, Seven::new); } // Eight
				""", "io.github.zklock.a.Two", "", "io.github.zklock.a.Five", "", "io.github.zklock.a.Six", "",
				"io.github.zklock.a.Seven", "", "io.github.zklock.a.Eight", "");
		assertThat(named(sources).get("io.github.zklock.a.One")).containsExactly("io.github.zklock.a.Seven",
				"io.github.zklock.a.Two", "io.github.zklock.b.Four", "io.github.zklock.b.Three");
	}

	private static Map<String, Set<String>> named(Map<String, String> sources) {
		Map<String, Set<String>> named = new TreeMap<>();
		sources.forEach((type, source) -> {
			String code = NO_CODE.matcher(source).replaceAll("");
			Set<String> others = new TreeSet<>(IMPORT.matcher(code).results().map((match) -> match.group(1)).toList());
			String room = type.substring(0, type.lastIndexOf('.') + 1);
			sources.keySet()
				.stream()
				.filter((other) -> other.startsWith(room) && other.lastIndexOf('.') == room.length() - 1)
				.filter((other) -> Pattern.compile("(?<![\\w.])" + other.substring(room.length()) + "\\b")
					.matcher(code)
					.find())
				.forEach(others::add);
			others.remove(type);
			named.put(type, others);
		});
		return named;
	}

	private static boolean isMainCode(Path file) {
		return path(file).contains("src/main/") && path(file).endsWith(".java") && !path(file).endsWith("-info.java");
	}

	private static String path(Path file) {
		return ROOT.relativize(file).toString().replace('\\', '/');
	}

}
