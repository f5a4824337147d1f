package io.github.zklock.test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

import io.github.zklock.testing.Rooms;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holds what is for tests apart from the rest.
 */
@AnalyzeClasses(locations = Rooms.OfThisModule.class)
class TestSupportArchitectureTests {

	private static final List<String> JARS = List.of("zk-lock-core", "zk-lock-spring-boot-autoconfigure",
			"zk-lock-spring-boot-test");

	@ArchTest
	static final ArchRule testKnowsTheEngineAndTestLibraries = Rooms.room(Rooms.ROOT + ".test..", Rooms.ROOT,
			Rooms.ROOT + ".zookeeper..", "com.tngtech.archunit..", "org.apache.curator..", "org.apache.zookeeper..",
			"org.junit.jupiter.api..", "org.springframework.boot.autoconfigure..", "org.springframework.test..",
			"org.springframework.beans..", "org.springframework.context..", "org.springframework.core..", "java..",
			"org.jspecify.annotations..");

	@ArchTest
	static final ArchRule everyPackageIsNullMarked = Rooms.everyPackageIsNullMarked();

	@ArchTest
	void publicTypesAreThoseOfTheCheckedInList(JavaClasses classes) {
		Rooms.assertPublicTypesAreListed(classes, 8);
	}

	@ArchTest
	void noPackageLiesInTwoJars(JavaClasses classes) throws IOException {
		Map<String, TreeSet<String>> jars = new TreeMap<>();
		for (String jar : JARS) {
			Path root = Path.of("..", jar, "target", "classes");
			try (Stream<Path> files = Files.walk(root)) {
				files.filter((file) -> file.toString().endsWith(".class"))
					.forEach((file) -> jars
						.computeIfAbsent(root.relativize(file.getParent()).toString(), (name) -> new TreeSet<>())
						.add(jar));
			}
		}
		assertThat(jars).hasSizeGreaterThan(JARS.size());
		assertThat(jars).allSatisfy((name, in) -> assertThat(in).as(name).hasSize(1));
	}

}
