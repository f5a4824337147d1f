package io.github.zklock.benchmarks.process;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooKeeper;

import io.github.zklock.harness.EnsembleProcesses;
import io.github.zklock.harness.EnsembleProcesses.Host;
import io.github.zklock.harness.FaultProxy;
import io.github.zklock.harness.ServerSettings;

/**
 * ZooKeeper servers that force every transaction to the disk, and what they count. Empty
 * containers stay, so that they can be counted.
 */
public final class ZooKeeperServers implements AutoCloseable {

	/** The longest session that they grant. */
	public static final int MAX_SESSION_MILLIS = 300_000;

	private final EnsembleProcesses ensemble;

	private final List<CountingServer> servers = new ArrayList<>();

	private ZooKeeperServers(EnsembleProcesses ensemble) {
		this.ensemble = ensemble;
		ensemble.servers()
			.stream()
			// Clients come to followers first, as most do in a real ensemble
			.sorted(Comparator.comparing((server) -> server.role().equals("leader")))
			.map(CountingServer::new)
			.forEach(this.servers::add);
	}

	/**
	 * Starts servers.
	 * @param size how many
	 * @param directory where their data goes
	 * @param options further options of their JVMs
	 * @return the servers, serving
	 */
	public static ZooKeeperServers start(int size, Path directory, List<String> options) {
		ServerSettings settings = ServerSettings.durable()
			.with("maxSessionTimeout=" + MAX_SESSION_MILLIS, "-Dznode.container.checkIntervalMs=100000000")
			.with(options);
		EnsembleProcesses ensemble = EnsembleProcesses.start(directory, Host.local(size), settings);
		try {
			return new ZooKeeperServers(ensemble);
		}
		catch (RuntimeException ex) {
			ensemble.close();
			throw ex;
		}
	}

	/**
	 * Returns how many they are.
	 * @return the number of servers
	 */
	public int size() {
		return this.servers.size();
	}

	/**
	 * Returns where a client process should connect: to one server, the same in every
	 * round, so that all contestants have the same way to the leader.
	 * @param process the number of the process, from 0
	 * @return the connect string
	 */
	public String connectString(int process) {
		return server(process).connectString();
	}

	/**
	 * Returns where a client connects that may go to any server.
	 * @return the connect string
	 */
	public String connectString() {
		return this.ensemble.connectString();
	}

	/** Kills the server that leads; returns when it is gone. */
	public void killLeader() {
		this.servers.forEach(CountingServer::disconnect);
		this.ensemble.leader().kill();
	}

	/** Starts the servers again that were killed, and waits until all serve. */
	public void mend() {
		this.ensemble.mend();
	}

	private CountingServer server(int process) {
		return this.servers.get(process % this.servers.size());
	}

	/**
	 * Opens a proxy to the server of a client process.
	 * @param process the number of the process, from 0
	 * @return the proxy
	 */
	public FaultProxy proxy(int process) {
		return new FaultProxy(server(process).clientAddress());
	}

	/**
	 * Adds up what all of them have counted.
	 * @return the sum; of the transactions the newest
	 */
	public Counters counters() {
		Counters sum = new Counters(0, 0, 0, 0);
		for (CountingServer server : this.servers) {
			Counters one = server.counters();
			sum = new Counters(sum.requests() + one.requests(), Math.max(sum.transactions(), one.transactions()),
					sum.watchEvents() + one.watchEvents(), sum.otherWatchEvents() + one.otherWatchEvents());
		}
		return sum;
	}

	/**
	 * Returns how much time of the processors all of them have used so far.
	 * @return the sum
	 */
	public Duration cpu() {
		return this.servers.stream().map(CountingServer::cpu).reduce(Duration.ZERO, Duration::plus);
	}

	/**
	 * Returns how much all of them have allocated so far.
	 * @return bytes
	 */
	public long allocatedBytes() {
		return this.servers.stream().mapToLong(CountingServer::allocatedBytes).sum();
	}

	/**
	 * Counts the clients that watch what is not their own, however much.
	 * @return the number of clients
	 */
	public long waiting() {
		return this.servers.stream().mapToLong(CountingServer::waiting).sum();
	}

	/**
	 * Deletes a node and everything below it.
	 * @param root its path
	 * @return how many nodes were directly below it
	 */
	public int clear(String root) {
		try (ZooKeeper zooKeeper = EnsembleProcesses.connect(connectString(0))) {
			zooKeeper.sync(root);
			return clear(zooKeeper, root);
		}
		catch (KeeperException ex) {
			throw new IllegalStateException("Could not clear " + root, ex);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("Interrupted", ex);
		}
	}

	private static int clear(ZooKeeper zooKeeper, String root) throws KeeperException, InterruptedException {
		if (zooKeeper.exists(root, false) == null) {
			return 0;
		}
		int children = zooKeeper.getChildren(root, false).size();
		if (!ZKUtil.deleteRecursive(zooKeeper, root, 500)) {
			throw new IllegalStateException("Could not clear " + root);
		}
		return children;
	}

	@Override
	public void close() {
		this.servers.forEach(CountingServer::disconnect);
		this.ensemble.close();
	}

}
