package io.github.zklock.sample;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.net.URL;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import io.github.zklock.DistributedLock;
import io.github.zklock.sample.Readme.Block;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holds the snippets and tables of pages against the code.
 */
class DocsTests {

	private static final Pattern CODE = Pattern.compile("`([^`]+)`");

	static Stream<Block> snippets() {
		return Stream
			.of("docs/adapters.md", "docs/boot-3.5.md", "docs/client.md", "docs/fencing.md", "docs/leader-election.md",
					"docs/sample.md", "docs/testing.md")
			.map(Readme::read)
			.map((page) -> page.blocks("java", "yaml"))
			.flatMap(List::stream);
	}

	// These pages also show fragments that are nobody's code
	static Stream<Block> namedRegions() {
		return Stream
			.of("docs/annotation.md", "docs/configuration.md", "docs/migration.md", "docs/operations.md",
					"docs/security.md")
			.map(Readme::read)
			.map((page) -> page.blocks("java", "yaml"))
			.flatMap(List::stream)
			.filter((block) -> block.file() != null);
	}

	@ParameterizedTest
	@MethodSource("snippets")
	void everySnippetIsARegionOfTestedCode(Block snippet) {
		assertThat(snippet.file()).as("the region that is shown here:%n%s", snippet.text()).isNotNull();
		assertThat(snippet.text()).isEqualTo(snippet.source());
	}

	@ParameterizedTest
	@MethodSource("namedRegions")
	void everyNamedRegionIsShownAsItIs(Block snippet) {
		assertThat(snippet.text()).isEqualTo(snippet.source());
	}

	@Test
	void theAnnotationTableHasEveryAttributeAndItsDefault() {
		List<String> attributes = Arrays.stream(DistributedLock.class.getDeclaredMethods())
			.filter((method) -> !method.getName().equals("value"))
			.map((method) -> method.getName() + " = " + defaultValue(method))
			.toList();
		assertThat(Readme.read("docs/annotation.md")
			.table("Attributes")
			.stream()
			.map((row) -> code(row.get(0)) + " = " + code(row.get(1)))).containsExactlyInAnyOrderElementsOf(attributes);
	}

	private static String defaultValue(Method attribute) {
		Object value = attribute.getDefaultValue();
		return (value instanceof Enum<?> constant) ? constant.name() : "";
	}

	@Test
	void thePropertyTableHasEveryPropertyAndItsDefault() throws IOException {
		List<String> properties = new ArrayList<>();
		for (URL metadata : Collections
			.list(getClass().getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
			for (JsonNode property : read(metadata).path("properties")) {
				if (property.path("name").asString().startsWith("zk-lock.")) {
					properties
						.add(property.path("name").asString() + " = " + property.path("defaultValue").asString(""));
				}
			}
		}
		assertThat(Readme.read("docs/configuration.md")
			.table("Properties")
			.stream()
			.map((row) -> code(row.get(0)) + " = " + code(row.get(1)))).isNotEmpty()
			.containsExactlyInAnyOrderElementsOf(properties);
	}

	private static JsonNode read(URL resource) throws IOException {
		try (InputStream content = resource.openStream()) {
			return JsonMapper.shared().readTree(content);
		}
	}

	private static String code(String cell) {
		Matcher code = CODE.matcher(cell);
		return code.find() ? code.group(1) : "";
	}

}
