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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ClassPathResource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import io.github.zklock.DistributedLock;
import io.github.zklock.autoconfigure.ZkLockProperties;
import io.github.zklock.sample.Readme.Block;

import static org.assertj.core.api.Assertions.assertThat;

class ReadmeTests {

	private static final Pattern CODE = Pattern.compile("`([^`]+)`");

	private final Readme readme = Readme.read();

	static List<Block> snippets() {
		return Readme.read().blocks("java", "yaml");
	}

	@ParameterizedTest
	@MethodSource("snippets")
	void everySnippetIsARegionOfCompiledCode(Block snippet) {
		assertThat(snippet.file()).as("the region that is shown here:%n%s", snippet.text()).isNotNull();
		assertThat(snippet.text()).isEqualTo(snippet.source());
	}

	@Test
	void theDependencyIsThatOfThisBuild() {
		String version = group(parentPom(), "<artifactId>zk-lock-parent</artifactId>\\s*<version>(.*?)</version>");
		assertThat(this.readme.blocks("xml")).first().extracting(Block::text).asString().isEqualTo("""
				<dependency>
				    <groupId>io.github.zklock</groupId>
				    <artifactId>zk-lock-spring-boot-starter</artifactId>
				    <version>%s</version>
				</dependency>""".formatted(version));
	}

	@ParameterizedTest
	@CsvSource({ "curator-test, <curator.version>(.*?)</",
			"zk-lock-embedded-server, <artifactId>zk-lock-parent</artifactId>\\s*<version>(.*?)</" })
	void otherDependenciesAreThoseOfThisBuild(String artifact, String pattern) {
		String version = group(parentPom(), pattern);
		assertThat(this.readme.text())
			.contains("<artifactId>%s</artifactId>\n    <version>%s</version>".formatted(artifact, version));
	}

	@Test
	void theAnnotationTableHasEveryAttributeAndItsDefault() {
		List<String> attributes = Arrays.stream(DistributedLock.class.getDeclaredMethods())
			.filter((method) -> !method.getName().equals("value"))
			.map((method) -> method.getName() + " = " + defaultValue(method))
			.toList();
		assertThat(
				this.readme.table("The annotation").stream().map((row) -> code(row.get(0)) + " = " + code(row.get(1))))
			.containsExactlyInAnyOrderElementsOf(attributes);
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
		assertThat(
				this.readme.table("The properties").stream().map((row) -> code(row.get(0)) + " = " + code(row.get(1))))
			.isNotEmpty()
			.containsExactlyInAnyOrderElementsOf(properties);
	}

	private static JsonNode read(URL resource) throws IOException {
		try (InputStream content = resource.openStream()) {
			return JsonMapper.shared().readTree(content);
		}
	}

	@Test
	void theConnectionSnippetBinds() throws IOException {
		PropertySource<?> source = new YamlPropertySourceLoader()
			.load("readme", new ClassPathResource("readme/application.yml"))
			.get(0);
		Binder binder = new Binder(ConfigurationPropertySources.from(source));
		assertThat(binder
			.bind("zk-lock", Bindable.of(ZkLockProperties.class), new NoUnboundElementsBindHandler(BindHandler.DEFAULT))
			.get()).extracting(ZkLockProperties::getConnectString).isEqualTo("zk1:2181,zk2:2181,zk3:2181");
	}

	@ParameterizedTest
	@CsvSource({ "Spring Boot, spring-boot.version", "Apache Curator, curator.version",
			"Apache ZooKeeper, zookeeper.version" })
	void testedVersionsAreThoseOfTheBuild(String name, String property) {
		String version = group(parentPom(), "<" + Pattern.quote(property) + ">(.*?)</");
		assertThat(this.readme.table("Tested versions")).contains(List.of(name, version));
	}

	private static String parentPom() {
		return Readme.text(Readme.ROOT.resolve("pom.xml"));
	}

	private static String code(String cell) {
		Matcher code = CODE.matcher(cell);
		return code.find() ? code.group(1) : "";
	}

	private static String group(String text, String pattern) {
		Matcher matcher = Pattern.compile(pattern).matcher(text);
		assertThat(matcher.find()).as(pattern).isTrue();
		return matcher.group(1);
	}

}
