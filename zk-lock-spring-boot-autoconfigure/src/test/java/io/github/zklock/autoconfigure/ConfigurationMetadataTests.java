package io.github.zklock.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import com.jayway.jsonpath.JsonPath;
import org.junit.jupiter.api.Test;

import io.github.zklock.aop.DistributedLockAdvisor;

import static org.assertj.core.api.Assertions.assertThat;

class ConfigurationMetadataTests {

	private static final Path DOCUMENTATION = Path.of("..", "docs", "configuration.md");

	private static List<Map<String, Object>> metadata(String section) throws IOException {
		try (InputStream metadata = ZkLockProperties.class
			.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
			assertThat(metadata).as("metadata made by the annotation processor").isNotNull();
			String json = new String(metadata.readAllBytes(), StandardCharsets.UTF_8);
			return JsonPath.read(json, "$." + section);
		}
	}

	private static String row(Map<String, Object> property) {
		Object value = property.get("defaultValue");
		return "| `%s` | %s | %s |".formatted(property.get("name"), (value != null) ? "`" + value + "`" : "",
				((String) property.get("description")).replaceAll("\\B'([^']+)'", "`$1`"));
	}

	@Test
	void everyPropertyIsDescribed() throws IOException {
		assertThat(metadata("properties")).isNotEmpty()
			.allSatisfy((property) -> assertThat((String) property.get("description")).endsWith("."));
	}

	@Test
	void tableOfTheDocumentationIsTheMetadata() throws IOException {
		List<String> documented = Files.readAllLines(DOCUMENTATION)
			.stream()
			.filter((line) -> line.startsWith("| `zk-lock."))
			.toList();
		assertThat(documented).containsExactlyElementsOf(metadata("properties").stream()
			.filter((property) -> !((String) property.get("name")).startsWith("management."))
			.map(ConfigurationMetadataTests::row)
			.sorted()
			.toList());
	}

	@Test
	void orderInTheMetadataIsThatOfTheCode() throws IOException {
		assertThat(metadata("properties")).filteredOn("name", "zk-lock.aop.order")
			.singleElement()
			.extracting((property) -> ((Number) property.get("defaultValue")).intValue())
			.isEqualTo(DistributedLockAdvisor.DEFAULT_ORDER);
	}

	@Test
	void hintsAreForPropertiesThatExist() throws IOException {
		List<Object> names = metadata("properties").stream().map((property) -> property.get("name")).toList();
		assertThat(metadata("hints")).isNotEmpty().allSatisfy((hint) -> assertThat(names).contains(hint.get("name")));
	}

}
