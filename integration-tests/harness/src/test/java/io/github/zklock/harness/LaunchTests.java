package io.github.zklock.harness;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Scanner;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

@Timeout(60)
class LaunchTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	@TempDir
	Path directory;

	@Test
	void whatReadsItsInputAnswersAndEndsWithIt() {
		ChildProcess child = Launch.java(Echo.class)
			.readingInput()
			.arguments(List.of("you said"))
			.startAnswering(log());
		child.send("hello");
		child.receive("you said hello", PATIENCE);
		child.send("failed to hear");
		assertThatIllegalStateException().isThrownBy(() -> child.receive("something else", PATIENCE));
		child.close();
		assertThat(child.isAlive()).isFalse();
	}

	@Test
	void aReportedFailureFailsWhoWaits() {
		try (ChildProcess child = Launch.java(Echo.class)
			.readingInput()
			.arguments(List.of("failed"))
			.startAnswering(log())) {
			child.send("to work");
			assertThatIllegalStateException().isThrownBy(() -> child.receive(PATIENCE))
				.withMessageContaining("failed to work");
		}
	}

	@Test
	void whatHasEndedFailsWhoWaits() {
		try (ChildProcess child = Launch.program("true").startAnswering(log())) {
			assertThatIllegalStateException().isThrownBy(() -> child.receive(PATIENCE))
				.withMessageContaining("has ended");
		}
	}

	@Test
	void whatDoesNotReadItsInputEndsWhenItsParentWasKilled() throws IOException {
		ChildProcess parent = Launch.java(Parent.class).readingInput().startAnswering(log());
		long child = Long.parseLong(parent.receive(PATIENCE));
		assertThat(ProcessHandle.of(child)).hasValueSatisfying((process) -> assertThat(process.isAlive()).isTrue());
		parent.kill();
		Waiting.until("the child has ended", PATIENCE,
				() -> ProcessHandle.of(child).filter(ProcessHandle::isAlive).isEmpty());
	}

	@Test
	void aJarRunsItsMainClassAndSeesNothingOfThisClassPath() throws IOException {
		Path jar = this.directory.resolve("echo.jar");
		Manifest manifest = new Manifest();
		manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
		manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, Looker.class.getName());
		String entry = Looker.class.getName().replace('.', '/') + ".class";
		try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
			out.putNextEntry(new JarEntry(entry));
			out.write(Looker.class.getClassLoader().getResourceAsStream(entry).readAllBytes());
		}
		try (ChildProcess child = Launch.jar(jar).arguments(List.of(Test.class.getName())).startAnswering(log())) {
			child.receive("ClassNotFoundException", PATIENCE);
		}
	}

	@Test
	void aFrozenProcessStandsUntilItIsThawed() {
		try (ChildProcess child = Launch.java(Echo.class)
			.readingInput()
			.arguments(List.of("heard"))
			.startAnswering(log())) {
			child.send("one");
			child.receive("heard one", PATIENCE);
			child.freeze();
			child.send("two");
			assertThat(child.poll(Duration.ofMillis(300))).isEmpty();
			child.thaw();
			child.receive("heard two", PATIENCE);
			assertThat(child.cpu()).isPositive();
		}
	}

	@Test
	void portsAreFreeAndEachAnother() {
		assertThat(Ports.free(50)).hasSize(50).doesNotHaveDuplicates().allMatch((port) -> port >= 10_000);
	}

	@Test
	void whereThereAreNotAsManyPortsThatIsSaid() {
		assertThatIllegalStateException().isThrownBy(() -> Ports.free(500)).withMessageContaining("not 500");
	}

	// JVMs of tests that choose ports at the same time, before the servers of one listen
	@Test
	void portsAreNotThoseOfAnotherJvm() {
		List<Integer> ports = Ports.free(50);
		try (ClaimedNumber others = Ports.claim()) {
			int first = 10_000 + (others.number() - 1) * 500;
			assertThat(ports).noneMatch((port) -> port >= first && port < first + 500);
		}
	}

	private Path log() {
		return this.directory.resolve("log");
	}

	static final class Echo {

		private Echo() {
		}

		public static void main(String[] args) {
			try (Scanner input = new Scanner(System.in, StandardCharsets.UTF_8)) {
				while (input.hasNextLine()) {
					System.out.println(args[0] + " " + input.nextLine());
				}
			}
		}

	}

	static final class Sleeper {

		private Sleeper() {
		}

		public static void main(String[] args) throws InterruptedException {
			System.out.println(ProcessHandle.current().pid());
			Thread.sleep(600_000);
		}

	}

	static final class Parent {

		private Parent() {
		}

		public static void main(String[] args) throws IOException {
			ChildProcess child = Launch.java(Sleeper.class)
				.startAnswering(Files.createTempFile("sleeper", ".log").toAbsolutePath());
			System.out.println(child.receive(PATIENCE));
			while (System.in.read() >= 0) {
				Thread.onSpinWait();
			}
		}

	}

	static final class Looker {

		private Looker() {
		}

		public static void main(String[] args) {
			try {
				System.out.println(Class.forName(args[0]));
			}
			catch (ClassNotFoundException ex) {
				System.out.println(ex.getClass().getSimpleName());
			}
		}

	}

}
