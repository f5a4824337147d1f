package io.github.zklock.test;

import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.GeneratedFiles.Kind;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.aot.TestContextAotGenerator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The contexts of tests can be worked out ahead of time.
 */
class TestAotTests {

	static Set<Thread> servers() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("NIOServerCxnFactory.AcceptThread"))
			.collect(Collectors.toSet());
	}

	@Test
	void contextWithATesterIsWorkedOutAndLeavesNoServer() {
		Set<Thread> before = servers();
		InMemoryGeneratedFiles files = new InMemoryGeneratedFiles();
		new TestContextAotGenerator(files).processAheadOfTime(Stream.of(Annotated.class));
		assertThat(files.getGeneratedFiles(Kind.SOURCE).keySet())
			.anyMatch((name) -> name.contains("Annotated__TestContext"));
		await().untilAsserted(() -> assertThat(before).containsAll(servers()));
	}

	@SpringBootTest(classes = TestAotTests.Application.class)
	@AutoConfigureZkLockTest
	static class Annotated {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
