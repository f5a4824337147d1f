package io.github.zklock.faults;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Logs that grow while they are read.
 */
class HistoryTests {

	@TempDir
	private Path directory;

	private Path one;

	private Path other;

	private final History.Reader reader = new History.Reader();

	@BeforeEach
	void begin() throws Exception {
		this.one = Files.writeString(this.directory.resolve("one.log"), "ENTER\ta.0-1#1\tk\tREAD\t256\t10\nREADY\ta\n");
		this.other = Files.createFile(this.directory.resolve("other.log"));
	}

	private History read() {
		return this.reader.read(List.of(this.one, this.other));
	}

	private void append(Path log, String text) throws Exception {
		Files.writeString(log, text, StandardOpenOption.APPEND);
		assertThat(read()).usingRecursiveComparison()
			.ignoringCollectionOrder()
			.isEqualTo(History.read(List.of(this.one, this.other)));
	}

	@Test
	void whatIsAppendedIsKnownNextTime() throws Exception {
		assertThat(read().enteredByClient()).isEqualTo(Map.of("a.0", 1L));
		append(this.other, "ENTER\tb.0-1#1\tk\tREAD\t256\t11\nENTER\tb.0-1#1\tl\tWRITE\t512\t12\n");
		assertThat(read().enteredTogether()).isEqualTo(1);
		append(this.one, "LEAVE\ta.0-1#1\tk\t19\t20\nFAIL\ta.0-1#2\tLockTimeoutException\t5\t6\n");
		assertThat(read().sections()).filteredOn(HoldRecord::isLost).hasSize(1);
		append(this.one, "ENTER\ta.0-1#3\tk\tWRITE\t1024\t30\nACCEPTED\ta.0-1#3\tk\t1024\nOPEN\ta\t0\n");
		append(this.one, "REFUSED\ta.0-1#3\tk\t1024\nOVERDUE\ta.0-1#3\tREAD\t5\t6\nDOWNGRADE\ta.0-1#3\tk\t40\n");
		assertThat(read().enteredByClient()).isEqualTo(Map.of("a.0", 2L, "b.0", 1L));
		assertThat(read().notes("OPEN")).containsExactly("OPEN a 0");
	}

	@Test
	void aLineIsReadOnceItHasEnded() throws Exception {
		for (String part : List.of("NOTE\t", "\u00e4", "\u00f6", "\nNOTE\tx\nNO")) {
			assertThat(read().notes("NOTE")).isEmpty();
			append(this.one, part);
		}
		assertThat(read().notes("NOTE")).containsExactly("NOTE \u00e4\u00f6", "NOTE x");
		append(this.one, "TE\ty\n");
		assertThat(read().notes("NOTE")).containsExactly("NOTE \u00e4\u00f6", "NOTE x", "NOTE y");
	}

	@Test
	void whatWasReadIsNotReadAgain() throws Exception {
		assertThat(read().notes("READY")).hasSize(1);
		Files.writeString(this.one, Files.readString(this.one).replace("READY", "LATER"));
		assertThat(read().notes("LATER")).isEmpty();
	}

}
