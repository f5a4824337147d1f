package io.github.zklock.autoconfigure;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.github.zklock.testing.KeyStores;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications that do not start, because they and the server do not trust each other.
 * Each gives up only after its connection time-out, so they start side by side.
 */
class TlsRefusalTests {

	@TempDir
	private static Path directory;

	private static TlsServer server;

	private static TlsServer renamed;

	private static ExecutorService executor;

	private static CompletableFuture<Throwable> noCertificate;

	private static CompletableFuture<Throwable> untrustedCertificate;

	private static CompletableFuture<Throwable> untrustedServer;

	private static CompletableFuture<Throwable> otherName;

	private static CompletableFuture<Throwable> noTls;

	private static ApplicationContextRunner plain;

	@BeforeAll
	static void startAll() {
		List<TlsServer> servers = TlsServer.start(directory, List.of("127.0.0.1", "127.0.0.2"));
		server = servers.get(0);
		renamed = servers.get(1);
		executor = Executors.newCachedThreadPool();
		plain = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, ZkLockAutoConfiguration.class))
			.withPropertyValues("zk-lock.connection-timeout=2s", "zk-lock.connect-string=" + server.connectString());
		ApplicationContextRunner runner = plain.withPropertyValues("zk-lock.ssl.bundle=zk");
		noCertificate = start(runner.withPropertyValues(TlsServer.bundle(null, server.serverTrusted())));
		untrustedCertificate = start(
				runner.withPropertyValues(TlsServer.bundle(server.strangersKeys(), server.serverTrusted())));
		untrustedServer = start(
				runner.withPropertyValues(TlsServer.bundle(server.clientKeys(), server.strangerTrusted())));
		ApplicationContextRunner elsewhere = runner
			.withPropertyValues("zk-lock.connect-string=" + renamed.connectString());
		otherName = start(
				elsewhere.withPropertyValues(TlsServer.bundle(renamed.clientKeys(), renamed.serverTrusted())));
		noTls = start(plain);
	}

	private static CompletableFuture<Throwable> start(ApplicationContextRunner application) {
		return CompletableFuture.supplyAsync(() -> {
			Throwable[] failure = new Throwable[1];
			application.run((context) -> failure[0] = context.getStartupFailure());
			return failure[0];
		}, executor);
	}

	@AfterAll
	static void stopAll() {
		executor.shutdownNow();
		server.close();
		renamed.close();
	}

	private static void isRefused(CompletableFuture<Throwable> start) {
		assertThat(start.join()).rootCause().isInstanceOfSatisfying(ZkLockStartupException.class, (failure) -> {
			assertThat(failure).hasMessageContaining("No ZooKeeper server at '%s' answered", server.connectString());
			assertThat(failure.action()).contains("The connection is to use TLS", "trusts their certificate");
		});
	}

	@Test
	void aClientWithoutACertificateIsRefused() {
		isRefused(noCertificate);
	}

	@Test
	void aClientWithACertificateThatTheServerDoesNotTrustIsRefused() {
		isRefused(untrustedCertificate);
	}

	@Test
	void aServerThatTheBundleDoesNotTrustIsRefused() {
		isRefused(untrustedServer);
	}

	@Test
	void aServerWithAnotherNameIsRefused() {
		assertThat(otherName.join()).isNotNull();
	}

	@Test
	void aServerWithAnotherNameThatTheJdkTrustsIsRefusedAlsoWithoutFipsMode() {
		assertThat(start(withoutFips(server).withPropertyValues("zk-lock.connection-timeout=20s")).join()).isNull();
		assertThat(start(withoutFips(renamed)).join()).isNotNull();
	}

	private static ApplicationContextRunner withoutFips(TlsServer to) {
		String keys = "spring.ssl.bundle.jks.zk.keystore.";
		return plain
			.withPropertyValues("zk-lock.connect-string=" + to.connectString(), "zk-lock.ssl.bundle=zk",
					keys + "location=file:" + to.clientKeys(), keys + "password=" + KeyStores.PASSWORD)
			.withBean(ZkLockCuratorCustomizer.class,
					() -> (builder) -> builder.getZkClientConfig().setProperty("zookeeper.fips-mode", "false"))
			.withSystemProperties("javax.net.ssl.trustStore=" + to.serverTrusted(),
					"javax.net.ssl.trustStoreType=PKCS12", "javax.net.ssl.trustStorePassword=" + KeyStores.PASSWORD);
	}

	@Test
	void aClientWithoutTlsIsRefused() {
		assertThat(noTls.join()).rootCause()
			.isInstanceOfSatisfying(ZkLockStartupException.class,
					(failure) -> assertThat(failure.action()).doesNotContain("TLS"));
	}

}
