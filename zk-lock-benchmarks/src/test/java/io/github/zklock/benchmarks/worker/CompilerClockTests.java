package io.github.zklock.benchmarks.worker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class CompilerClockTests {

	@TempDir
	Path process;

	@Test
	void theCompilersThreadsAddUp() throws IOException {
		Files.writeString(this.process.resolve("schedstat"), "999 0 1\n");
		thread("1", "java", "700 5 1");
		thread("2", "C2 CompilerThre", "1500 7 3");
		thread("3", "C1 CompilerThre", "20 8 1");
		assertThat(new CompilerClock(this.process).nanos()).isEqualTo(1520);
	}

	@Test
	void aSystemThatDoesNotSayItIsNoSystemWithoutCompiler() {
		assertThat(new CompilerClock(this.process).nanos()).isPositive();
	}

	@Test
	void thisJvmHasCompiledSomething() {
		assertThat(new CompilerClock().nanos()).isPositive();
	}

	@Test
	void aThreadThatHasEndedIsLeftOut() throws IOException {
		Files.writeString(this.process.resolve("schedstat"), "999 0 1\n");
		thread("1", "C2 CompilerThre", "1500 7 3");
		// What is listed, but is not there any more
		Files.createSymbolicLink(this.process.resolve("task").resolve("2"), this.process.resolve("gone"));
		assertThat(new CompilerClock(this.process).nanos()).isEqualTo(1500);
	}

	private void thread(String number, String name, String times) throws IOException {
		Path thread = Files.createDirectories(this.process.resolve("task").resolve(number));
		Files.writeString(thread.resolve("comm"), name + "\n");
		Files.writeString(thread.resolve("schedstat"), times + "\n");
	}

}
