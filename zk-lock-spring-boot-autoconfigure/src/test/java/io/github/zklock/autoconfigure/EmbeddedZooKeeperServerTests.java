package io.github.zklock.autoconfigure;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.util.ReflectionTestUtils;

import io.github.zklock.LockClient;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.zookeeper.LockSessions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

/**
 * What the properties zk-lock.embedded promise.
 */
@ExtendWith(OutputCaptureExtension.class)
class EmbeddedZooKeeperServerTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class, ZkLockAopAutoConfiguration.class))
		.withPropertyValues("zk-lock.embedded.enabled=true");

	private static int portOf(CuratorFramework curator) {
		return portOf(curator.getZookeeperClient().getCurrentConnectionString());
	}

	private static int portOf(String connectString) {
		return Integer.parseInt(connectString.substring(connectString.lastIndexOf(':') + 1));
	}

	@Test
	void serverRunsAsLongAsTheContext() {
		List<Integer> ports = new ArrayList<>();
		this.runner.run((context) -> {
			context.getBean(LockClient.class).acquire(LockRequest.exclusive("a")).release();
			ports.add(portOf(context.getBean(CuratorFramework.class)));
		});
		assertThatIOException().isThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), ports.get(0)).close());
	}

	@Test
	void dataThatIsNotKeptIsDeletedAtTheEnd() {
		List<Path> directories = new ArrayList<>();
		this.runner.run((context) -> {
			EmbeddedZooKeeperServer server = context.getBean(EmbeddedZooKeeperServer.class);
			directories.add((Path) ReflectionTestUtils.getField(server, "directory"));
			assertThat(directories.get(0)).isNotEmptyDirectory();
		});
		assertThat(directories.get(0)).doesNotExist();
	}

	@Test
	void dataThatIsKeptDoesNotGrowWithEachStart(@TempDir Path directory) throws Exception {
		long newest = 0;
		for (int i = 0; i < 8; i++) {
			try (EmbeddedZooKeeperServer server = new EmbeddedZooKeeperServer(0, directory.toFile());
					CuratorFramework curator = CuratorFrameworkFactory.newClient(server.connectString(),
							new RetryOneTime(50))) {
				curator.start();
				long next = curator.checkExists().forPath(curator.create().forPath("/n" + i)).getCzxid();
				assertThat(next).isGreaterThan(newest);
				newest = next;
			}
		}
		try (EmbeddedZooKeeperServer server = new EmbeddedZooKeeperServer(0, directory.toFile())) {
			assertThat(server.connectString()).isNotEmpty();
			Awaitility.await().until(() -> files(directory, "snapshot.") == 3 && files(directory, "log.") <= 4);
		}
		assertThat(files(directory, "log.")).isNotZero();
		assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName).doesNotContain("PurgeTask");
	}

	private static long files(Path directory, String kind) throws IOException {
		try (Stream<Path> files = Files.walk(directory)) {
			return files.filter((file) -> file.getFileName().toString().startsWith(kind)).count();
		}
	}

	@Test
	void theLogSaysWhomItExcludes(CapturedOutput output) {
		this.runner.run((context) -> assertThat(output).contains("WARN",
				"Locks are kept by a ZooKeeper server in this process, which zk-lock.embedded.enabled has started at 127.0.0.1:%d: they exclude only clients that are connected to it."
					.formatted(portOf(context.getBean(CuratorFramework.class)))));
	}

	@Test
	void serverIsStoppedAfterTheClient() {
		this.runner.run((context) -> {
			assertThat(dependents(context, "zkLockEmbeddedServer")).contains("zkLockConnectionDetails");
			assertThat(dependents(context, "zkLockConnectionDetails")).contains("zkLockCuratorBlueprint");
			assertThat(dependents(context, "zkLockCuratorBlueprint")).contains("zkLockCurator");
			assertThat(dependents(context, "zkLockCurator")).contains("zkLockStartupCheck");
			assertThat(dependents(context, "zkLockStartupCheck")).contains("zkLockSessions");
			assertThat(dependents(context, "zkLockSessions")).contains("lockClient");
		});
	}

	private static List<String> dependents(ConfigurableApplicationContext context, String bean) {
		return List.of(context.getBeanFactory().getDependentBeans(bean));
	}

	@Test
	void serverListensOnTheLoopbackAddressOnly() {
		this.runner.run((context) -> {
			int port = portOf(context.getBean(CuratorFramework.class));
			new Socket(InetAddress.getLoopbackAddress(), port).close();
			for (InetAddress address : otherAddresses()) {
				assertThatIOException().as("connection to %s", address)
					.isThrownBy(() -> new Socket(address, port).close());
			}
		});
	}

	private static List<InetAddress> otherAddresses() throws SocketException {
		return NetworkInterface.networkInterfaces()
			.flatMap(NetworkInterface::inetAddresses)
			.filter((address) -> !address.isLoopbackAddress() && !address.isLinkLocalAddress())
			.toList();
	}

	@Test
	void serverUsesTheConfiguredPort() throws Exception {
		int port;
		try (ServerSocket free = new ServerSocket(0)) {
			port = free.getLocalPort();
		}
		this.runner.withPropertyValues("zk-lock.embedded.port=" + port)
			.run((context) -> assertThat(portOf(context.getBean(CuratorFramework.class))).isEqualTo(port));
	}

	@Test
	void dataStaysInTheConfiguredDirectory(@TempDir File directory) {
		ApplicationContextRunner kept = this.runner.withPropertyValues("zk-lock.embedded.data-directory=" + directory);
		kept.run((context) -> context.getBean(CuratorFramework.class).create().forPath("/kept"));
		assertThat(directory).isNotEmptyDirectory();
		kept.run((context) -> assertThat(context.getBean(CuratorFramework.class).checkExists().forPath("/kept"))
			.isNotNull());
	}

	@Test
	void directoryHasOneServerAtATime(@TempDir File directory) {
		ApplicationContextRunner kept = this.runner.withPropertyValues("zk-lock.embedded.data-directory=" + directory);
		kept.run((context) -> {
			kept.run((second) -> assertRefused(second, directory));
			kept.run((third) -> assertRefused(third, directory));
		});
		kept.run((context) -> assertThat(context).hasSingleBean(LockClient.class));
	}

	@Test
	void directoryOfAnotherProcessIsRefusedUntilThatHasDied(@TempDir File directory) throws Exception {
		ApplicationContextRunner kept = this.runner.withPropertyValues("zk-lock.embedded.data-directory=" + directory);
		Process other = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				System.getProperty("java.class.path"), Server.class.getName(), directory.toString())
			.redirectErrorStream(true)
			.start();
		try {
			assertThat(other.inputReader().lines().anyMatch("serves"::equals)).isTrue();
			kept.run((context) -> assertRefused(context, directory));
		}
		finally {
			other.destroyForcibly().waitFor();
		}
		kept.run((context) -> assertThat(context).hasSingleBean(LockClient.class));
	}

	private static void assertRefused(AssertableApplicationContext context, File directory) {
		assertThat(context).getFailure().rootCause().isInstanceOfSatisfying(ZkLockStartupException.class, (failure) -> {
			assertThat(failure)
				.hasMessage("Another embedded ZooKeeper server, of this process or another, serves the directory '%s'."
					.formatted(directory));
			assertThat(failure.action()).contains("zk-lock.connect-string");
		});
	}

	@Test
	void serverThatDoesNotStartLeavesTheDirectoryToOthers(@TempDir File directory) throws Exception {
		ApplicationContextRunner kept = this.runner.withPropertyValues("zk-lock.embedded.data-directory=" + directory);
		try (ServerSocket used = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			kept.withPropertyValues("zk-lock.embedded.port=" + used.getLocalPort())
				.run((context) -> assertThat(context).hasFailed());
		}
		kept.run((context) -> assertThat(context).hasSingleBean(LockClient.class));
	}

	@Test
	@Timeout(60)
	void serverThatFailsOnItsDataLeavesNothingOpen(@TempDir Path directory) throws Exception {
		Set<Thread> before = serverThreads();
		int port;
		try (ServerSocket free = new ServerSocket(0)) {
			port = free.getLocalPort();
		}
		Path damaged = Files.createDirectories(directory.resolve("data/version-2")).resolve("log.1");
		Files.writeString(damaged, "the disk was full");
		assertThatExceptionOfType(ZkLockStartupException.class)
			.isThrownBy(() -> new EmbeddedZooKeeperServer(port, directory.toFile()))
			.havingRootCause()
			.isInstanceOf(IOException.class);
		Files.delete(damaged);
		new EmbeddedZooKeeperServer(port, directory.toFile()).close();
		Awaitility.await().until(() -> before.containsAll(serverThreads()));
	}

	@Test
	@Timeout(60)
	void interruptWhileItStartsIsKeptAndLeavesNothingOpen() throws Exception {
		Set<Thread> before = serverThreads();
		Thread.currentThread().interrupt();
		try (EmbeddedZooKeeperServer server = new EmbeddedZooKeeperServer(0, null)) {
			assertThat(Thread.interrupted()).isTrue();
			new Socket(InetAddress.getLoopbackAddress(), portOf(server.connectString())).close();
		}
		finally {
			Thread.interrupted();
		}
		Awaitility.await().until(() -> before.containsAll(serverThreads()));
	}

	@Test
	void moreClientsOfOneHostAreServedThanByDefault() throws Exception {
		int byDefault = 60;
		List<Socket> clients = new ArrayList<>();
		try (EmbeddedZooKeeperServer server = new EmbeddedZooKeeperServer(0, null)) {
			for (int i = 0; i <= byDefault; i++) {
				clients.add(new Socket(InetAddress.getLoopbackAddress(), portOf(server.connectString())));
			}
			Socket last = clients.get(byDefault);
			last.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
			assertThat(new String(last.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
				.contains("Zookeeper version");
		}
		finally {
			for (Socket client : clients) {
				client.close();
			}
		}
	}

	private static Set<Thread> serverThreads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName()
				.matches("NIOServerCxnFactory.*|zkservermainrunner|zk-lock-embedded-.*"))
			.collect(Collectors.toSet());
	}

	@Test
	void sessionTimeoutOfTheDefaultsIsGranted(CapturedOutput output) {
		this.runner.run((context) -> assertThat(context.getBean(LockSessions.class).sessionTimeout())
			.isEqualTo(Duration.ofSeconds(15)));
		assertThat(output).doesNotContain("the session time-out from");
	}

	@Test
	void sessionTimeoutThatTheServerCutsIsWarnedOf(CapturedOutput output) {
		this.runner.withPropertyValues("zk-lock.session-timeout=5m")
			.run((context) -> assertThat(context).hasSingleBean(LockClient.class));
		assertThat(output)
			.containsOnlyOnce("The ZooKeeper servers cut the session time-out from 300000 ms to 20000 ms");
	}

	@ParameterizedTest
	@ValueSource(strings = { "en", "ar-EG" })
	void sessionTimeoutThatTheServerRaisesStopsTheApplication(String locale) {
		Locale before = Locale.getDefault();
		Locale.setDefault(Locale.forLanguageTag(locale));
		try {
			assertRaised();
		}
		finally {
			Locale.setDefault(before);
		}
	}

	private void assertRaised() {
		this.runner.withPropertyValues("zk-lock.session-timeout=1s")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(ZkLockStartupException.class, (failure) -> {
					assertThat(failure).hasMessageContaining("raised zk-lock.session-timeout from 1000 ms to 2000 ms");
					assertThat(failure.action()).contains("zk-lock.session-timeout=5000ms");
				}));
	}

	@Test
	void withoutFailFastASessionTimeoutThatTheServerRaisesFailsEachCall(CapturedOutput output) {
		this.runner.withPropertyValues("zk-lock.session-timeout=1s", "zk-lock.fail-fast=false").run((context) -> {
			LockClient client = context.getBean(LockClient.class);
			for (int i = 0; i < 2; i++) {
				assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> client.acquire(LockRequest.exclusive("k").timeout(Duration.ofSeconds(10))))
					.withMessageContaining("lock 'k'")
					.withMessageContaining("raised the session time-out from 1000 ms to 2000 ms");
			}
		});
		assertThat(output).containsOnlyOnce("SessionSource - The ZooKeeper servers raised");
	}

	@Test
	void connectStringWins() throws Exception {
		try (TestingServer real = new TestingServer()) {
			this.runner.withPropertyValues("zk-lock.connect-string=" + real.getConnectString())
				.run((context) -> assertThat(context).hasSingleBean(LockClient.class)
					.doesNotHaveBean(EmbeddedZooKeeperServer.class));
		}
	}

	@Test
	void blankConnectStringDoesNotCount() {
		this.runner.withPropertyValues("zk-lock.connect-string=")
			.run((context) -> assertThat(context).hasSingleBean(EmbeddedZooKeeperServer.class));
	}

	@Test
	void missingJarIsRefusedWithItsName() {
		for (String missing : List.of("com.codahale.metrics", "org.xerial.snappy")) {
			this.runner.withClassLoader(new FilteredClassLoader(missing))
				.run((context) -> assertThat(context).getFailure()
					.rootCause()
					.isInstanceOf(ZkLockStartupException.class)
					.hasMessageContaining(missing)
					.hasMessageContaining("which a ZooKeeper server needs, is not on the class path")
					.satisfies((cause) -> assertThat(((ZkLockStartupException) cause).action())
						.contains("io.github.zklock:zk-lock-embedded-server")));
		}
	}

	@Test
	void missingJarDoesNotMatterWithoutTheServer() throws Exception {
		try (TestingServer real = new TestingServer()) {
			new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class))
				.withClassLoader(
						new FilteredClassLoader("org.apache.curator.test", "com.codahale.metrics", "org.xerial.snappy"))
				.withPropertyValues("zk-lock.connect-string=" + real.getConnectString())
				.run((context) -> assertThat(context).hasSingleBean(LockClient.class));
		}
	}

	@Test
	void portInUseIsRefusedAndLeavesNothing() throws Exception {
		Set<String> before = emptyDirectories();
		try (ServerSocket used = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			this.runner.withPropertyValues("zk-lock.embedded.port=" + used.getLocalPort())
				.run((context) -> assertThat(context).getFailure()
					.hasStackTraceContaining(
							"started on port %d: java.net.BindException: ".formatted(used.getLocalPort())));
		}
		Awaitility.await().until(() -> before.containsAll(emptyDirectories()));
	}

	// Those of servers that run in other JVMs are not empty for long
	private static Set<String> emptyDirectories() {
		File[] found = new File(System.getProperty("java.io.tmpdir"))
			.listFiles((file) -> file.getName().startsWith("zk-lock-server") && hasNoFile(file));
		return Arrays.stream(Objects.requireNonNull(found)).map(File::getName).collect(Collectors.toSet());
	}

	private static boolean hasNoFile(File directory) {
		File[] inside = directory.listFiles();
		return inside != null && Arrays.stream(inside).allMatch(EmbeddedZooKeeperServerTests::hasNoFile);
	}

	/** A server in a process of its own. */
	static final class Server {

		private Server() {
		}

		@SuppressWarnings("resource") // The process is killed
		public static void main(String[] args) throws InterruptedException {
			new EmbeddedZooKeeperServer(0, new File(args[0]));
			System.out.println("serves");
			Thread.sleep(Duration.ofMinutes(5).toMillis());
		}

	}

}
