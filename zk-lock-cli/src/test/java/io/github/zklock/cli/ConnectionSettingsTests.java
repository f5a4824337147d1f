package io.github.zklock.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.apache.curator.framework.AuthInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * A file of properties says here what it says to the application.
 */
class ConnectionSettingsTests {

	@TempDir
	private Path directory;

	private ConnectionSettings read(String... lines) throws IOException {
		return read(StandardCharsets.ISO_8859_1, lines);
	}

	private ConnectionSettings read(Charset charset, String... lines) throws IOException {
		ConnectionOptions options = new ConnectionOptions();
		options.properties = Files.write(this.directory.resolve("application.properties"), List.of(lines), charset);
		options.connectString = "127.0.0.1:1";
		return ConnectionSettings.read(options);
	}

	@Test
	void theFileIsInLatin1AsForSpringBoot() throws IOException {
		assertThat(read("zk-lock.key-prefix=caf\u00e9:").keyPrefix()).isEqualTo("caf\u00e9:");
		assertThat(read("zk-lock.key-prefix=caf\\u00e9:").keyPrefix()).isEqualTo("caf\u00e9:");
		assertThat(read(StandardCharsets.UTF_8, "zk-lock.key-prefix=caf\u00e9:").keyPrefix())
			.isEqualTo("caf\u00c3\u00a9:");
	}

	@ParameterizedTest
	@ValueSource(strings = { "true", "on", "yes", "1", "Yes", "TRUE", "on " })
	void whatIsTrueForSpringBootIsTrue(String value) throws IOException {
		assertThat(read("zk-lock.nested-keys=" + value).nestedKeys()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "false", "off", "no", "0", "Off", "" })
	void whatIsFalseForSpringBootIsFalse(String value) throws IOException {
		assertThat(read("zk-lock.nested-keys=" + value).nestedKeys()).isFalse();
	}

	@Test
	void whatIsNeitherTrueNorFalseIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> read("zk-lock.nested-keys=ja"))
			.withMessage("zk-lock.nested-keys is 'ja', which is neither true nor false");
	}

	@ParameterizedTest
	@ValueSource(strings = { "#---", "!---", "#--- " })
	void aFileWithSeveralDocumentsIsRefused(String separator) {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> read("zk-lock.key-prefix=a:", separator, "zk-lock.key-prefix=b:"))
			.withMessageContaining("has several documents");
	}

	@Test
	@DisabledOnOs(value = OS.WINDOWS, disabledReason = "has no mkfifo")
	void whatComesThroughAPipeIsReadOnce() throws Exception {
		Path pipe = this.directory.resolve("pipe");
		assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
		CompletableFuture<Path> written = CompletableFuture
			.supplyAsync(() -> write(pipe, "zk-lock.key-prefix=a:", "#---", "zk-lock.key-prefix=b:"));
		ConnectionOptions options = new ConnectionOptions();
		options.properties = pipe;
		options.connectString = "127.0.0.1:1";
		assertThat(CompletableFuture.supplyAsync(() -> ConnectionSettings.read(options)))
			.failsWithin(Duration.ofSeconds(20))
			.withThrowableThat()
			.withMessageContaining("has several documents");
		assertThat(written).succeedsWithin(Duration.ofSeconds(20));
	}

	private static Path write(Path path, String... lines) {
		try {
			return Files.write(path, List.of(lines));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Test
	void aSeparatorBesideWhichThereIsNoPropertySeparatesNothing() throws IOException {
		assertThat(read("#---", "zk-lock.key-prefix=a:").keyPrefix()).isEqualTo("a:");
		assertThat(read("zk-lock.key-prefix=a:", "#---", "").keyPrefix()).isEqualTo("a:");
		assertThat(read("", "#---", "zk-lock.key-prefix=a:", "!---", "", "# Locks").keyPrefix()).isEqualTo("a:");
	}

	@Test
	void aLineThatSeparatesNothingIsAComment() throws IOException {
		assertThat(read("#----", " #---", "zk-lock.key-prefix=a:").keyPrefix()).isEqualTo("a:");
		assertThat(read("#---", "# Locks", "#---", "zk-lock.key-prefix=a:").keyPrefix()).isEqualTo("a:");
	}

	@ParameterizedTest
	@ValueSource(strings = { "spring.config.activate.on-profile=test", "spring.config.import=file:other.properties",
			"spring.config.import[0]=file:other.properties" })
	void whatDependsOnTheApplicationIsRefused(String line) {
		assertThatIllegalArgumentException().isThrownBy(() -> read("zk-lock.key-prefix=a:", line))
			.withMessageContaining(line.substring(0, line.indexOf('=')) + ", which is not evaluated here");
	}

	@Test
	void blanksAtTheEndBelongToRootAndPrefix() throws IOException {
		ConnectionSettings settings = read("zk-lock.root= /locks ", "zk-lock.key-prefix= shop ");
		assertThat(settings.root()).isEqualTo("/locks ");
		assertThat(settings.keyPrefix()).isEqualTo("shop ");
	}

	@Test
	void blanksAtTheEndBelongToCredentials() throws IOException {
		AuthInfo auth = read("zk-lock.auth[0].username=joe ", "zk-lock.auth[0].password=secret ").auth().get(0);
		assertThat(auth.getAuth()).asString(StandardCharsets.UTF_8).isEqualTo("joe :secret ");
	}

	@Test
	void blanksAtTheEndBelongToThePasswordOfAStore() throws IOException {
		Path store = Files.createFile(this.directory.resolve("keys.p12"));
		ConnectionSettings settings = read("zk-lock.ssl.bundle=zk",
				"spring.ssl.bundle.jks.zk.keystore.location=" + store,
				"spring.ssl.bundle.jks.zk.keystore.password=secret ");
		assertThat(settings.keystore()).isNotNull()
			.satisfies((keys) -> assertThat(keys.password()).isEqualTo("secret "));
	}

	@Test
	void durationsAndServersAreReadWithoutBlanks() throws IOException {
		assertThat(read("zk-lock.session-timeout=6s ").sessionTimeout()).hasSeconds(6);
	}

}
