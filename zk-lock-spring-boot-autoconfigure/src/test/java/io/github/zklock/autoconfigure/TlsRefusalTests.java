package io.github.zklock.autoconfigure;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications that do not start, because they and the server do not trust each other.
 * Each gives up only after its connection time-out, so they start side by side.
 */
class TlsRefusalTests {

	@TempDir
	private static Path directory;

	private static TlsServer server;

	private static ExecutorService executor;

	private static CompletableFuture<Throwable> noCertificate;

	private static CompletableFuture<Throwable> untrustedCertificate;

	private static CompletableFuture<Throwable> untrustedServer;

	private static CompletableFuture<Throwable> otherName;

	private static CompletableFuture<Throwable> noTls;

	@BeforeAll
	static void startAll() {
		server = TlsServer.start(directory);
		executor = Executors.newCachedThreadPool();
		ApplicationContextRunner plain = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, ZkLockAutoConfiguration.class))
			.withPropertyValues("zk-lock.connection-timeout=2s", "zk-lock.connect-string=" + server.connectString());
		ApplicationContextRunner runner = plain.withPropertyValues("zk-lock.ssl.bundle=zk");
		String[] trusted = TlsServer.bundle(server.clientKeys(), server.serverTrusted());
		noCertificate = start(runner.withPropertyValues(TlsServer.bundle(null, server.serverTrusted())));
		untrustedCertificate = start(
				runner.withPropertyValues(TlsServer.bundle(server.strangersKeys(), server.serverTrusted())));
		untrustedServer = start(
				runner.withPropertyValues(TlsServer.bundle(server.clientKeys(), server.strangerTrusted())));
		otherName = start(runner.withPropertyValues(trusted)
			.withPropertyValues("zk-lock.connect-string=" + server.connectString().replace("127.0.0.1", "127.0.0.2")));
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
	@Tag("slow")
	void aServerThatTheBundleDoesNotTrustIsRefused() {
		isRefused(untrustedServer);
	}

	@Test
	void aServerWithAnotherNameIsRefused() {
		assertThat(otherName.join()).isNotNull();
	}

	@Test
	void aClientWithoutTlsIsRefused() {
		assertThat(noTls.join()).rootCause()
			.isInstanceOfSatisfying(ZkLockStartupException.class,
					(failure) -> assertThat(failure.action()).doesNotContain("TLS"));
	}

}
