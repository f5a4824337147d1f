package io.github.zklock.sample;

import java.io.IOException;
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

import io.github.zklock.autoconfigure.ZkLockProperties;
import io.github.zklock.sample.Readme.Block;

import static org.assertj.core.api.Assertions.assertThat;

class ReadmeTests {

	private final Readme readme = Readme.read();

	static List<Block> snippets() {
		return Readme.read().blocks("java", "properties", "yaml");
	}

	@ParameterizedTest
	@MethodSource("snippets")
	void everySnippetIsARegionOfCompiledCode(Block snippet) {
		assertThat(snippet.file()).as("the region that is shown here:%n%s", snippet.text()).isNotNull();
		assertThat(snippet.text()).isEqualTo(snippet.source());
	}

	@Test
	void theDependenciesAreThoseOfThisBuild() {
		String ours = group(parentPom(), "<artifactId>zk-lock-parent</artifactId>\\s*<version>(.*?)</version>");
		List<String> dependencies = List.of("io.github.zklock:zk-lock-spring-boot-starter:" + ours,
				"io.github.zklock:zk-lock-embedded-server:" + ours,
				"io.github.zklock:zk-lock-spring-boot-test:" + ours);
		assertThat(dependencies("xml",
				"<groupId>(.*)</groupId>\\s*<artifactId>(.*)</artifactId>\\s*<version>(.*)</version>"))
			.isEqualTo(dependencies);
		assertThat(dependencies("kotlin", "\\(\"(.*):(.*):(.*)\"\\)")).isEqualTo(dependencies);
	}

	private List<String> dependencies(String language, String pattern) {
		return this.readme.blocks(language)
			.stream()
			.flatMap((block) -> Pattern.compile(pattern).matcher(block.text()).results())
			.map((match) -> String.join(":", match.group(1), match.group(2), match.group(3)))
			.toList();
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
		assertThat(this.readme.table("Tested versions")).contains(List.of(name, version(property)));
	}

	private static String version(String property) {
		return group(parentPom(), "<" + Pattern.quote(property) + ">(.*?)</");
	}

	private static String parentPom() {
		return Readme.text(Readme.ROOT.resolve("pom.xml"));
	}

	private static String group(String text, String pattern) {
		Matcher matcher = Pattern.compile(pattern).matcher(text);
		assertThat(matcher.find()).as(pattern).isTrue();
		return matcher.group(1);
	}

}
