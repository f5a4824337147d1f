package io.github.zklock;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every class of the repository, in main code and tests of all modules, has a simple name
 * of its own that says what it is.
 */
class SimpleNamesTests {

	private static final Pattern SOURCE = Pattern
		.compile(".*/src/(?:main|test)/(?:java|kotlin)/.*?(\\w+)\\.(?:java|kt)");

	private static final Pattern EMPTY_WORD = Pattern.compile("\\w*(?:Manager|Helper|Util|Utils|Info|Data)(?:Tests)?");

	@Test
	void everySimpleNameIsUnique() throws IOException {
		assertThat(repeated(sources())).isEmpty();
	}

	@Test
	void noNameSaysNothing() throws IOException {
		assertThat(sources()).map(SimpleNamesTests::simpleName).noneMatch((name) -> EMPTY_WORD.matcher(name).matches());
	}

	@Test
	void canaryARepeatedNameIsFound() {
		assertThat(repeated(List.of("a/src/main/java/x/Plan.java", "b/src/test/java/y/Plan.java",
				"b/src/test/java/y/package-info.java", "a/src/main/java/x/package-info.java")))
			.containsOnlyKeys("Plan");
		assertThat("LockUtils").matches(EMPTY_WORD);
	}

	private static List<String> sources() throws IOException {
		Path root = Repository.root();
		try (Stream<Path> files = Repository.files(root)) {
			return files.map((file) -> "/" + root.relativize(file).toString().replace('\\', '/'))
				.filter((file) -> SOURCE.matcher(file).matches())
				.sorted()
				.toList();
		}
	}

	private static Map<String, List<String>> repeated(Collection<String> sources) {
		Map<String, List<String>> byName = sources.stream()
			.filter((file) -> !file.contains("-info."))
			.collect(Collectors.groupingBy(SimpleNamesTests::simpleName, TreeMap::new, Collectors.toList()));
		byName.values().removeIf((files) -> files.size() == 1);
		return byName;
	}

	private static String simpleName(String source) {
		String file = source.substring(source.lastIndexOf('/') + 1);
		return file.substring(0, file.lastIndexOf('.'));
	}

}
