package io.github.zklock.benchmarks.jvm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

import io.github.zklock.LockClient;
import io.github.zklock.benchmarks.peer.Connection;
import io.github.zklock.benchmarks.process.ZooKeeperServers;
import io.github.zklock.zookeeper.ZooKeeperLockClient;

/**
 * A ZooKeeper server in a process of its own, and a client of it.
 */
@State(Scope.Benchmark)
public class LocalServer {

	private @Nullable ZooKeeperServers servers;

	private @Nullable CuratorFramework curator;

	private @Nullable LockClient client;

	/**
	 * Starts the server.
	 * @throws IOException if it cannot
	 */
	@Setup(Level.Trial)
	public void start() throws IOException {
		Path work = Files.createDirectories(Path.of(System.getProperty("performance.work", "target/performance")));
		ZooKeeperServers started = ZooKeeperServers.start(1, work, List.of());
		this.servers = started;
		CuratorFramework connected = new Connection(started.connectString(0), "/", 60_000).curator();
		this.curator = connected;
		this.client = ZooKeeperLockClient.builder(connected).build();
	}

	/**
	 * Stops it.
	 */
	@TearDown(Level.Trial)
	public void stop() {
		client().close();
		Objects.requireNonNull(this.curator).close();
		Objects.requireNonNull(this.servers).close();
	}

	LockClient client() {
		return Objects.requireNonNull(this.client);
	}

}
