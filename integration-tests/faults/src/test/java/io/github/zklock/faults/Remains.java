package io.github.zklock.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

import io.github.zklock.harness.EnsembleProcesses;
import io.github.zklock.harness.ServerProcess;

/**
 * Looks for what should have gone from the servers: lock nodes, key nodes that are locks
 * themselves, and watches on any server.
 */
final class Remains {

	/** The marks of jobs stay, and are watched as long as their client is open. */
	private static final String MARKS = "/%~jobs/";

	private final EnsembleProcesses servers;

	private final String root;

	Remains(EnsembleProcesses servers, String root) {
		this.servers = servers;
		this.root = root;
	}

	/**
	 * Waits for a while until all has gone.
	 * @param patience how long it may take
	 * @param elsewhere finds what else is left
	 * @return a line for each thing that is left
	 */
	List<String> after(Duration patience, Supplier<List<String>> elsewhere) {
		try {
			List<String> left = new ArrayList<>();
			long until = System.nanoTime() + patience.toNanos();
			do {
				left.clear();
				left.addAll(this.servers.ask(this::nodes));
				left.addAll(watches());
				left.removeIf((line) -> line.contains(MARKS));
				left.addAll(elsewhere.get());
				TimeUnit.MILLISECONDS.sleep(left.isEmpty() ? 0 : 100);
			}
			while (!left.isEmpty() && System.nanoTime() - until < 0);
			return left;
		}
		catch (InterruptedException | KeeperException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Finds the nodes that are left now.
	 * @param zooKeeper looks
	 * @return a line for each
	 */
	List<String> nodes(ZooKeeper zooKeeper) throws KeeperException, InterruptedException {
		List<String> nodes = new ArrayList<>();
		for (String key : children(zooKeeper, this.root)) {
			String keyNode = this.root + "/" + key;
			for (String child : children(zooKeeper, keyNode)) {
				nodes.add("node " + keyNode + "/" + child);
			}
			if (isEphemeral(zooKeeper, keyNode)) {
				nodes.add("node " + keyNode);
			}
		}
		return nodes;
	}

	/**
	 * Finds out who has lock nodes now.
	 * @return the ids of the sessions
	 */
	Set<Long> owners() throws KeeperException, InterruptedException {
		return this.servers.ask(this::owners);
	}

	private Set<Long> owners(ZooKeeper zooKeeper) throws KeeperException, InterruptedException {
		Set<Long> sessions = new HashSet<>();
		for (String line : nodes(zooKeeper)) {
			Stat stat = zooKeeper.exists(line.substring("node ".length()), false);
			if (stat != null) {
				sessions.add(stat.getEphemeralOwner());
			}
		}
		return sessions;
	}

	// A node may vanish meanwhile
	private static List<String> children(ZooKeeper zooKeeper, String path)
			throws KeeperException, InterruptedException {
		try {
			return zooKeeper.getChildren(path, false);
		}
		catch (KeeperException.NoNodeException ex) {
			return List.of();
		}
	}

	private static boolean isEphemeral(ZooKeeper zooKeeper, String path) throws KeeperException, InterruptedException {
		Stat stat = zooKeeper.exists(path, false);
		return stat != null && stat.getEphemeralOwner() != 0;
	}

	private List<String> watches() {
		List<String> watches = new ArrayList<>();
		for (ServerProcess server : this.servers.servers()) {
			if (server.isAlive()) {
				server.ask("wchp")
					.lines()
					.filter((line) -> line.startsWith(this.root + "/"))
					.forEach((path) -> watches.add("watch on " + path + " at " + server));
			}
		}
		return watches;
	}

}
