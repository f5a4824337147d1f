package io.github.zklock.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.apache.curator.framework.AuthInfo;
import org.apache.zookeeper.client.ZKClientConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.testing.KeyStores;

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
		return read(new ConnectionOptions(), charset, lines);
	}

	private ConnectionSettings read(ConnectionOptions options, Charset charset, String... lines) throws IOException {
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
	@ValueSource(strings = { ",", "127.0.0.1:port", "127.0.0.1:65536", "127.0.0.1:2181/bad//path" })
	void aMalformedConnectStringIsNamed(String connectString) {
		ConnectionOptions options = new ConnectionOptions();
		options.connectString = connectString;
		assertThatIllegalArgumentException().isThrownBy(() -> ConnectionSettings.read(options))
			.withMessageStartingWith("The connect string '%s' is malformed".formatted(connectString));
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
	void anOptionGoesBeforeItsPropertyAndNoOther() throws IOException {
		ConnectionOptions options = new ConnectionOptions();
		options.password = "typed";
		assertThat(read(options, StandardCharsets.ISO_8859_1, "zk-lock.auth[0].username=joe",
				"zk-lock.auth[0].password=secret", "zk-lock.auth[1].username=ann", "zk-lock.auth[1].password=other")
			.auth()).extracting((auth) -> new String(auth.getAuth(), StandardCharsets.UTF_8))
			.containsExactly("joe:typed", "ann:other");
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

	@ParameterizedTest
	@ValueSource(strings = { "options.enabled-protocols=TLSv1.3", "options.ciphers=TLS_AES_128_GCM_SHA256",
			"protocol=TLS", "reload-on-update=true" })
	void aBundleWithoutStoresIsSecureAsInTheApplication(String line) throws IOException {
		ZKClientConfig config = bundle(line);
		assertThat(config.getProperty("zookeeper.client.secure")).isEqualTo("true");
		assertThat(config.getProperty("zookeeper.clientCnxnSocket"))
			.isEqualTo("org.apache.zookeeper.ClientCnxnSocketNetty");
		assertThat(config.getProperty("zookeeper.ssl.trustStore.location")).as("the JDK's").isEmpty();
		assertThat(config.getProperty("zookeeper.ssl.keyStore.location")).as("none").isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "location", "password", "passwordPath", "type" })
	void theStoresOfTheWholeJvmDoNotReplaceThoseOfABundle(String name) throws IOException {
		Path keys = Files.createFile(this.directory.resolve("keys.p12"));
		String ofTheKeys = "zookeeper.ssl.keyStore." + name;
		String ofTheTrusted = "zookeeper.ssl.trustStore." + name;
		System.setProperty(ofTheKeys, "other");
		System.setProperty(ofTheTrusted, "other");
		try {
			ZKClientConfig config = bundle("keystore.location=" + keys, "keystore.password=secret");
			assertThat(config.getProperty(ofTheKeys)).isNotEqualTo("other");
			assertThat(config.getProperty("zookeeper.ssl.keyStore.location")).isEqualTo(keys.toString());
			assertThat(config.getProperty(ofTheTrusted)).as("there is none").isEmpty();
		}
		finally {
			System.clearProperty(ofTheKeys);
			System.clearProperty(ofTheTrusted);
		}
	}

	@Test
	void withoutBundleAndStoresThereIsNoTls() throws IOException {
		assertThat(LockConnection.clientConfig(read("spring.ssl.bundle.jks.zk.protocol=TLS"))
			.getProperty("zookeeper.client.secure")).isNull();
	}

	@Test
	void protocolAndOptionsOfABundleApply() throws IOException {
		ZKClientConfig config = bundle("protocol=TLSv1.2", "options.enabled-protocols=TLSv1.3, TLSv1.2",
				"options.ciphers[0]=TLS_AES_128_GCM_SHA256", "options.ciphers[1]=TLS_AES_256_GCM_SHA384");
		assertThat(config.getProperty("zookeeper.ssl.protocol")).isEqualTo("TLSv1.2");
		assertThat(config.getProperty("zookeeper.ssl.enabledProtocols")).isEqualTo("TLSv1.3,TLSv1.2");
		assertThat(config.getProperty("zookeeper.ssl.ciphersuites"))
			.isEqualTo("TLS_AES_128_GCM_SHA256,TLS_AES_256_GCM_SHA384");
	}

	@Test
	void aProtocolThatIsNoVersionIsLeftToZooKeeper() throws IOException {
		assertThat(bundle("protocol=TLS").getProperty("zookeeper.ssl.protocol")).isNull();
	}

	@Test
	void theOptionsOfABundleApplyToTheStoresOfTheCommandLine() throws IOException {
		ConnectionOptions options = new ConnectionOptions();
		options.keystore = Files.createFile(this.directory.resolve("keys.p12")).toString();
		options.truststore = Files.createFile(this.directory.resolve("trusted.p12")).toString();
		ConnectionSettings settings = read(options, StandardCharsets.ISO_8859_1, "zk-lock.ssl.bundle=zk",
				"spring.ssl.bundle.pem.zk.truststore.certificate=ca.crt",
				"spring.ssl.bundle.pem.zk.options.enabled-protocols=TLSv1.3");
		ZKClientConfig config = LockConnection.clientConfig(settings);
		assertThat(config.getProperty("zookeeper.ssl.trustStore.location")).isEqualTo(options.truststore);
		assertThat(config.getProperty("zookeeper.ssl.enabledProtocols")).isEqualTo("TLSv1.3");
	}

	@ParameterizedTest
	@ValueSource(strings = { "options.enabledProtocols", "options.enabled-protocols[first]", "trustStore.location" })
	void whatABundleHasAndTheCommandLineDoesNotKnowIsRefused(String name) {
		assertThatIllegalArgumentException().isThrownBy(() -> bundle(name + "=TLSv1.3"))
			.withMessageContaining(
					"has spring.ssl.bundle.jks.zk.%s, which the command line does not know".formatted(name));
	}

	@Test
	void anotherKeyOfItsStoreThanTheBundleWantsIsRefused() throws IOException {
		Path keys = new KeyStores(this.directory).keys("client");
		String location = "keystore.location=" + keys;
		String password = "keystore.password=" + KeyStores.PASSWORD;
		assertThat(bundle(location, password, "key.alias=Client", "key.password=" + KeyStores.PASSWORD)
			.getProperty("zookeeper.ssl.keyStore.location")).isEqualTo(keys.toString());
		assertThatIllegalArgumentException().isThrownBy(() -> bundle(location, password, "key.alias=other"))
			.withMessageContaining(
					"has the key 'client' besides the one that spring.ssl.bundle.jks.zk.key.alias names");
		assertThatIllegalArgumentException().isThrownBy(() -> bundle(location, password, "key.password=another"))
			.withMessageContaining("spring.ssl.bundle.jks.zk.key.password")
			.withMessageNotContaining("another");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> bundle(location, "keystore.password=wrong", "key.alias=client"))
			.withMessageContaining(keys + "' cannot be read");
	}

	private ZKClientConfig bundle(String... lines) throws IOException {
		List<String> all = new ArrayList<>(List.of("zk-lock.ssl.bundle=zk"));
		Stream.of(lines).map((line) -> "spring.ssl.bundle.jks.zk." + line).forEach(all::add);
		return LockConnection.clientConfig(read(all.toArray(String[]::new)));
	}

	@Test
	void durationsAndServersAreReadWithoutBlanks() throws IOException {
		assertThat(read("zk-lock.session-timeout=6s ").sessionTimeout()).hasSeconds(6);
	}

}
