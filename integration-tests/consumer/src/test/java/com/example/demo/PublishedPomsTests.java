package com.example.demo;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Document;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Maven leaves a jar out if the nearest path excludes it, Gradle only if each path does.
 * So each path that leaves the published poms must.
 */
class PublishedPomsTests {

	private static final Set<String> UNWANTED = Set.of("com.google.guava:guava", "com.google.guava:failureaccess",
			"io.netty:netty-tcnative-boringssl-static", "io.netty:netty-tcnative-classes");

	/**
	 * Below them are none of these jars. Another group is added here after a look at what
	 * it brings.
	 */
	private static final Set<String> HARMLESS = Set.of("ch.qos.logback", "info.picocli", "io.dropwizard.metrics",
			"org.aspectj", "org.jspecify", "org.slf4j", "org.springframework", "org.springframework.boot",
			"org.xerial.snappy", "tools.jackson.core");

	private static final String CURATOR = """
			<project><dependencies><dependency>
				<groupId>org.apache.curator</groupId>
				<artifactId>curator-framework</artifactId>
				%s
			</dependency></dependencies></project>""";

	static List<Path> published() throws IOException {
		try (Stream<Path> files = Files.walk(Path.of(System.getProperty("published.repository")))) {
			return files.filter((file) -> file.toString().endsWith(".pom")).sorted().toList();
		}
	}

	@Test
	void thereArePublishedPoms() throws IOException {
		assertThat(published()).extracting((pom) -> pom.getFileName().toString())
			.anyMatch((name) -> name.startsWith("zk-lock-spring-boot-autoconfigure-"))
			.anyMatch((name) -> name.startsWith("zk-lock-spring-boot-starter-"))
			.anyMatch((name) -> name.startsWith("zk-lock-bom-"));
	}

	@ParameterizedTest
	@MethodSource("published")
	void everyPathExcludesWhatNobodyUses(Path pom) throws Exception {
		assertThat(pathsToUnwanted(parse(Files.newInputStream(pom)))).isEmpty();
	}

	@ParameterizedTest
	@MethodSource("published")
	void pomsStandAlone(Path pom) throws Exception {
		Document document = parse(Files.newInputStream(pom));
		assertThat(nodes(document, "/project/parent")).isEmpty();
		assertThat(nodes(document, "//dependency[not(version)]")).isEmpty();
		assertThat(nodes(document, "//dependency[scope = 'test' or scope = 'system']")).isEmpty();
		for (String required : List.of("name", "description", "url", "licenses/license", "developers/developer",
				"scm")) {
			assertThat(nodes(document, "/project/" + required)).as(required).isNotEmpty();
		}
	}

	@Test
	void aPathWithoutExclusionsIsFound() throws Exception {
		assertThat(pathsToUnwanted(parse(CURATOR.formatted(""))))
			.containsExactly("org.apache.curator:curator-framework does not exclude " + new TreeSet<>(UNWANTED));
	}

	@Test
	void aPathThatExcludesOnlySomeIsFound() throws Exception {
		assertThat(pathsToUnwanted(parse(CURATOR.formatted("""
				<exclusions><exclusion>
					<groupId>com.google.guava</groupId>
					<artifactId>guava</artifactId>
				</exclusion></exclusions>""")))).singleElement()
			.asString()
			.contains("failureaccess", "boringssl")
			.doesNotContain("guava:guava");
	}

	@Test
	void aGroupThatNobodyLookedAtIsFound() throws Exception {
		assertThat(pathsToUnwanted(parse(CURATOR.formatted("").replace("org.apache.curator", "org.example"))))
			.containsExactly("nobody looked at what org.example:curator-framework brings");
	}

	private static List<String> pathsToUnwanted(Document pom) throws XPathExpressionException {
		List<String> found = new ArrayList<>();
		for (Node dependency : nodes(pom, "/project/dependencies/dependency[not(optional = 'true')]"
				+ "[not(scope) or scope = 'compile' or scope = 'runtime']")) {
			String group = nodes(dependency, "groupId").get(0).getTextContent();
			String name = name(dependency);
			if (group.equals("org.apache.curator") || group.equals("org.apache.zookeeper")) {
				Set<String> missing = new TreeSet<>(UNWANTED);
				nodes(dependency, "exclusions/exclusion").forEach((exclusion) -> missing.remove(name(exclusion)));
				if (!missing.isEmpty()) {
					found.add(name + " does not exclude " + missing);
				}
			}
			else if (UNWANTED.contains(name)) {
				found.add(name);
			}
			else if (!group.equals("io.github.zklock") && !HARMLESS.contains(group)) {
				found.add("nobody looked at what " + name + " brings");
			}
		}
		return found;
	}

	private static String name(Node coordinates) {
		try {
			return nodes(coordinates, "groupId").get(0).getTextContent() + ":"
					+ nodes(coordinates, "artifactId").get(0).getTextContent();
		}
		catch (XPathExpressionException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static List<Node> nodes(Node from, String path) throws XPathExpressionException {
		NodeList found = (NodeList) XPathFactory.newInstance().newXPath().evaluate(path, from, XPathConstants.NODESET);
		return IntStream.range(0, found.getLength()).mapToObj(found::item).toList();
	}

	private static Document parse(String pom) throws Exception {
		return parse(new ByteArrayInputStream(pom.getBytes(StandardCharsets.UTF_8)));
	}

	private static Document parse(InputStream pom) throws Exception {
		try (pom) {
			return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(pom);
		}
	}

}
