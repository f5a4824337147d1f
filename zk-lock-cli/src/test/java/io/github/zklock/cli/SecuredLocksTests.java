package io.github.zklock.cli;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import io.github.zklock.testing.KeyStores;
import io.github.zklock.testing.SecuredServer;
import io.github.zklock.testing.ServerFixture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Who the command line is to the servers, and how it speaks to them.
 */
@Timeout(120)
class SecuredLocksTests {

	@RegisterExtension
	final ServerFixture zk = ServerFixture.onOneServer();

	@TempDir
	private Path directory;

	private Path file(String... more) throws IOException {
		return Files.writeString(this.directory.resolve("application.properties"), """
				zk-lock.connect-string=%s
				zk-lock.root=%s
				zk-lock.session-timeout=6s
				zk-lock.slow-wait=1s
				%s
				""".formatted(this.zk.servers().connectString(), this.zk.root(), String.join("\n", more)));
	}

	private Path fileWithCredentials(String name) throws IOException {
		return file("zk-lock.auth[0].username=" + name, "zk-lock.auth[0].password=secret");
	}

	private CuratorFramework makeRoot() throws Exception {
		CuratorFramework owner = this.zk.curator(
				CuratorFrameworkFactory.builder()
					.sessionTimeoutMs(6000)
					.authorization("digest", "shop:secret".getBytes(StandardCharsets.UTF_8)),
				this.zk.servers().connectString());
		owner.create().withACL(Ids.CREATOR_ALL_ACL).forPath(this.zk.root());
		return owner;
	}

	@Test
	void readsThePropertiesOfAnApplication() throws Exception {
		CuratorFramework owner = makeRoot();
		CliRun held = CliRun.of("hold", "a", "--for", "1ms", "--properties", fileWithCredentials("shop").toString());
		assertThat(held.err()).isEmpty();
		assertThat(held.code()).isZero();
		owner.delete().deletingChildrenIfNeeded().forPath(this.zk.root());
	}

	@Test
	void isRefusedWithOtherCredentials() throws Exception {
		CuratorFramework owner = makeRoot();
		String file = fileWithCredentials("stranger").toString();
		assertThat(CliRun.of("list", "--properties", file)).satisfies((run) -> {
			assertThat(run.code()).isEqualTo(1);
			assertThat(run.err()).contains("NoAuth");
		});
		assertThat(CliRun.of("hold", "a", "--properties", file).code()).isEqualTo(1);
		assertThat(CliRun.of("list", "--properties", file, "--username", "shop", "--password=secret").code())
			.isEqualTo(3);
		owner.delete().deletingChildrenIfNeeded().forPath(this.zk.root());
	}

	@Test
	void asksForThePasswordOfTheUserInTheFileAlsoBeforeTheKey() throws Exception {
		CuratorFramework owner = makeRoot();
		String file = file("zk-lock.auth[0].username=shop", "zk-lock.auth[0].password=${ZK_PASSWORD:hidden}")
			.toString();
		assertThat(CliRun.of("show", "--properties", file, "a").err())
			.contains("zk-lock.auth[0].password", "placeholder")
			.doesNotContain("hidden");
		InputStream before = System.in;
		System.setIn(new ByteArrayInputStream("secret\n".getBytes(StandardCharsets.UTF_8)));
		try {
			CliRun shown = CliRun.of("show", "--properties", file, "--password", "a");
			assertThat(shown.err()).isEmpty();
			assertThat(shown.code()).isEqualTo(3);
		}
		finally {
			System.setIn(before);
		}
		owner.delete().deletingChildrenIfNeeded().forPath(this.zk.root());
	}

	@Test
	void doesNotPrintAPasswordThatIsWrittenWithoutEqualsSign() {
		InputStream before = System.in;
		System.setIn(new ByteArrayInputStream("\n".getBytes(StandardCharsets.UTF_8)));
		try {
			CliRun list = CliRun.of("list", "--username=shop", "--password", "hidden");
			assertThat(list.code()).isEqualTo(2);
			assertThat(list.err()).contains("--password=VALUE").doesNotContain("hidden");
		}
		finally {
			System.setIn(before);
		}
	}

	@Test
	void whatItCreatesHasTheAclOfTheRoot() throws Exception {
		CuratorFramework owner = makeRoot();
		Path file = fileWithCredentials("shop");
		Thread hold = new Thread(() -> CliRun.of("hold", "a", "--properties", file.toString()));
		hold.start();
		await().until(() -> !this.zk.contenders("a").isEmpty());
		assertThat(owner.getACL().forPath(this.zk.keyNode("a"))).isEqualTo(owner.getACL().forPath(this.zk.root()));
		hold.interrupt();
		hold.join();
		owner.delete().deletingChildrenIfNeeded().forPath(this.zk.root());
	}

	@Test
	void holdsNothingBelowARootWhoseAclIsNotShownInFull() throws Exception {
		CuratorFramework owner = makeRoot();
		List<ACL> shared = new ArrayList<>(owner.getACL().forPath(this.zk.root()));
		shared.add(new ACL(Perms.READ | Perms.CREATE, Ids.ANYONE_ID_UNSAFE));
		owner.setACL().withACL(shared).forPath(this.zk.root());
		CliRun run = CliRun.of("hold", "a", "--for", "10ms", "--properties",
				fileWithCredentials("stranger").toString());
		assertThat(run.code()).isEqualTo(1);
		assertThat(run.err()).contains("in full only to who may change it");
		owner.delete().deletingChildrenIfNeeded().forPath(this.zk.root());
	}

	@Test
	void refusesPropertiesThatItCannotFollow() throws IOException {
		assertThat(CliRun.of("list", "--properties", file("zk-lock.key-prefix=${spring.application.name}").toString()))
			.satisfies((run) -> {
				assertThat(run.code()).isEqualTo(2);
				assertThat(run.err()).contains("no placeholder is resolved");
			});
		assertThat(CliRun.of("list", "--properties", file("zk-lock.ssl.bundle=zk").toString()).err())
			.contains("spring.ssl.bundle.jks.zk.");
		assertThat(CliRun.of("list", "--properties", file("zk-lock.sasl.login-context=Client").toString()).code())
			.isEqualTo(2);
		assertThat(CliRun.of("list", "--properties", file("zk-lock.session-timeout=15").toString()).err())
			.contains("zk-lock.session-timeout", "unit");
	}

	@Test
	void speaksTlsWithABundleThatHasNoStores() throws Exception {
		try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			CompletableFuture<Integer> first = CompletableFuture.supplyAsync(() -> firstByte(server));
			String file = file("zk-lock.auth[0].username=shop", "zk-lock.auth[0].password=secret",
					"zk-lock.ssl.bundle=zk", "spring.ssl.bundle.jks.zk.options.enabled-protocols=TLSv1.3")
				.toString();
			Thread list = new Thread(() -> CliRun.of("list", "--properties", file, "--connection-timeout=1m",
					"--connect-string=127.0.0.1:" + server.getLocalPort()));
			list.start();
			assertThat(first).succeedsWithin(Duration.ofMinutes(1)).as("a handshake of TLS").isEqualTo(22);
			list.interrupt();
			list.join();
		}
	}

	private static int firstByte(ServerSocket server) {
		try (Socket client = server.accept()) {
			return client.getInputStream().read();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Test
	@Tag("slow")
	void speaksTlsWithTheStoresOfABundleOrOfTheOptions() throws IOException {
		KeyStores stores = new KeyStores(this.directory);
		List<Path> keys = stores.keys(List.of("server", "client"));
		Path serverKeys = keys.get(0);
		Path clientKeys = keys.get(1);
		Path trusted = stores.trusting("server");
		try (SecuredServer server = SecuredServer.startWithTls(this.directory.resolve("server"),
				Map.of("serverCnxnFactory", "org.apache.zookeeper.server.NettyServerCnxnFactory",
						"ssl.keyStore.location", serverKeys.toString(), "ssl.keyStore.password", KeyStores.PASSWORD,
						"ssl.trustStore.location", stores.trusting("client").toString(), "ssl.trustStore.password",
						KeyStores.PASSWORD, "ssl.clientAuth", "need", "authProvider.x509",
						"org.apache.zookeeper.server.auth.X509AuthenticationProvider"))) {
			String bundle = "spring.ssl.bundle.jks.zk.";
			Path file = file("zk-lock.ssl.bundle=zk", bundle + "keystore.location=file:" + clientKeys,
					bundle + "keystore.password=" + KeyStores.PASSWORD, bundle + "truststore.location=" + trusted,
					bundle + "truststore.password=" + KeyStores.PASSWORD);
			assertThat(CliRun
				.of("hold", "a", "--for=1ms", "--properties=" + file, "--connect-string=" + server.connectString())
				.code()).isZero();
			assertThat(CliRun
				.of("list", "--connect-string=" + server.connectString(), "--keystore=" + clientKeys,
						"--keystore-password=" + KeyStores.PASSWORD, "--truststore=" + trusted,
						"--truststore-password=" + KeyStores.PASSWORD)
				.code()).isEqualTo(3);
		}
	}

}
