package io.github.zklock.autoconfigure;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleKey;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.ssl.jks.JksSslStoreBundle;
import org.springframework.boot.ssl.jks.JksSslStoreDetails;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.test.util.ReflectionTestUtils;
import org.springframework.util.FileSystemUtils;

import io.github.zklock.testing.KeyStores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What of an SSL bundle is written where ZooKeeper's client reads it.
 */
@ExtendWith(OutputCaptureExtension.class)
class ClientTlsTests {

	@TempDir
	private static Path directory;

	private static Path clientKeys;

	private static Path strangersKeys;

	private static Path serverTrusted;

	@BeforeAll
	static void makeStores() {
		KeyStores stores = new KeyStores(directory);
		List<Path> keys = stores.keys(List.of("server", "client", "stranger"));
		clientKeys = keys.get(1);
		strangersKeys = keys.get(2);
		serverTrusted = stores.trusting("server");
	}

	@Test
	void aBundleThatChangesAfterItsFilesWereDeletedApplies() throws Exception {
		try (ClientTls tls = new ClientTls(SslBundle.of(stores(clientKeys, serverTrusted)))) {
			deleteFiles(tls);
			tls.update(SslBundle.of(stores(strangersKeys, serverTrusted)));
			assertThat(entries(tls, "keys.p12")).singleElement().asString().contains("stranger");
			assertThat(entries(tls, "trusted.p12")).hasSize(1);
		}
	}

	@Test
	void aChangedBundleThatCannotBeWrittenNowIsWrittenForTheNextConnection(CapturedOutput output) throws Exception {
		try (ClientTls tls = new ClientTls(SslBundle.of(stores(clientKeys, serverTrusted)))) {
			Path written = (Path) ReflectionTestUtils.getField(tls, "directory");
			Path inTheWay = Files.createDirectory(written.resolve("keys.p12.new"));
			tls.update(SslBundle.of(stores(strangersKeys, serverTrusted)));
			assertThat(entries(tls, "keys.p12")).singleElement().asString().contains("client");
			assertThat(output).contains("The SSL bundle cannot be written to " + written);
			Files.delete(inTheWay);
			tls.restore();
			assertThat(entries(tls, "keys.p12")).singleElement().asString().contains("stranger");
		}
	}

	@Test
	void nothingIsWrittenWhereAnotherHasTakenTheNameOfTheDirectory(@TempDir Path elsewhere) throws Exception {
		try (ClientTls tls = new ClientTls(SslBundle.of(stores(clientKeys, serverTrusted)))) {
			Files.createSymbolicLink(deleteFiles(tls), elsewhere);
			tls.update(SslBundle.of(stores(clientKeys, serverTrusted)));
			assertThat(elsewhere).isEmptyDirectory();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "RSA", "DSA", "EdDSA", "RSASSA-PSS" })
	void aKeyOfAnyAlgorithmIsGivenToTheClient(String algorithm) throws Exception {
		Path keys = new KeyStores(directory).keys(algorithm, algorithm);
		try (ClientTls tls = new ClientTls(SslBundle.of(stores(keys, serverTrusted)))) {
			assertThat(entries(tls, "keys.p12")).hasSize(1);
		}
	}

	@Test
	void onlyTheKeyThatTheBundleNamesIsGivenToTheClient() throws Exception {
		KeyStore both = KeyStore.getInstance("PKCS12");
		both.load(null, null);
		char[] password = KeyStores.PASSWORD.toCharArray();
		for (String name : List.of("server", "stranger")) {
			KeyStore one = KeyStore.getInstance(directory.resolve(name + "-keys.p12").toFile(), password);
			both.setKeyEntry(name, one.getKey(name, password), password, one.getCertificateChain(name));
		}
		SslStoreBundle stores = SslStoreBundle.of(both, KeyStores.PASSWORD, null);
		try (ClientTls tls = new ClientTls(SslBundle.of(stores, SslBundleKey.of(KeyStores.PASSWORD, "stranger")))) {
			assertThat(entries(tls, "keys.p12")).containsExactly("stranger");
		}
	}

	@Test
	void allCertificatesOfTheBundleAreTrusted() throws Exception {
		KeyStores stores = new KeyStores(directory);
		Path both = Files.writeString(directory.resolve("both.pem"),
				Files.readString(stores.pem("server")) + Files.readString(stores.pem("stranger")));
		PemSslStoreDetails trusted = PemSslStoreDetails.forCertificate("file:" + both);
		try (ClientTls tls = new ClientTls(SslBundle.of(new PemSslStoreBundle(null, trusted)))) {
			assertThat(entries(tls, "trusted.p12")).hasSize(2);
		}
	}

	private static List<String> entries(ClientTls tls, String file) throws IOException, GeneralSecurityException {
		KeyStore store = KeyStore.getInstance("PKCS12");
		Path written = (Path) ReflectionTestUtils.getField(tls, "directory");
		String password = (String) ReflectionTestUtils.getField(tls, "password");
		try (InputStream in = Files.newInputStream(written.resolve(file))) {
			store.load(in, password.toCharArray());
		}
		return Collections.list(store.aliases());
	}

	@Test
	void aChangedBundleThatCannotBeUsedIsLoggedAndTheFormerOneGoesOn(CapturedOutput output) throws Exception {
		try (ClientTls tls = new ClientTls(SslBundle.of(stores(clientKeys, serverTrusted)))) {
			SslBundle unreadable = SslBundle.of(stores(clientKeys, serverTrusted), SslBundleKey.of("wrong"));
			tls.update(unreadable);
			assertThat(output).contains("ERROR",
					"The changed SSL bundle cannot be used; connections to ZooKeeper go on with the former one");
			assertThat(entries(tls, "keys.p12")).hasSize(1);
			assertThat(entries(tls, "trusted.p12")).hasSize(1);
		}
	}

	@Test
	void aChangedBundleOfWhichOneStoreCannotBeUsedReplacesNeither(CapturedOutput output) throws Exception {
		try (ClientTls tls = new ClientTls(SslBundle.of(stores(clientKeys, serverTrusted)))) {
			tls.update(SslBundle.of(stores(strangersKeys, directory.resolve("missing.p12"))));
			assertThat(output).contains("The changed SSL bundle cannot be used");
			assertThat(entries(tls, "keys.p12")).singleElement().asString().contains("client");
		}
	}

	@Test
	void aBundleThatCannotBeUsedLeavesNoDirectory() {
		Set<String> before = emptyDirectories();
		SslBundle unreadable = SslBundle.of(stores(clientKeys, serverTrusted), SslBundleKey.of("wrong"));
		assertThatExceptionOfType(ZkLockStartupException.class).isThrownBy(() -> new ClientTls(unreadable));
		await().untilAsserted(() -> assertThat(before).containsAll(emptyDirectories()));
	}

	// Those of clients in other JVMs are not empty for long
	private static Set<String> emptyDirectories() {
		File[] found = new File(System.getProperty("java.io.tmpdir")).listFiles((file) -> {
			String[] inside = file.getName().startsWith("zk-lock-tls") ? file.list() : null;
			return inside != null && inside.length == 0;
		});
		return Arrays.stream(Objects.requireNonNull(found)).map(File::getName).collect(Collectors.toSet());
	}

	static Path deleteFiles(ClientTls tls) throws IOException {
		Path written = (Path) ReflectionTestUtils.getField(tls, "directory");
		assertThat(FileSystemUtils.deleteRecursively(written)).isTrue();
		return written;
	}

	static SslStoreBundle stores(Path keys, Path trusted) {
		return new JksSslStoreBundle(details(keys), details(trusted));
	}

	private static JksSslStoreDetails details(Path store) {
		return new JksSslStoreDetails("PKCS12", null, "file:" + store, KeyStores.PASSWORD);
	}

}
