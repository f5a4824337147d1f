package io.github.zklock.testing;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import org.apache.zookeeper.ZooKeeper;

/**
 * Finds what should have gone.
 */
public final class Residue {

	private static final String ENGINE_THREADS = "zk-lock-";

	private Residue() {
	}

	/**
	 * Finds nodes below a root, except empty key nodes, which the servers reap.
	 */
	public static List<String> nodes(TestServers servers, String root) {
		Map<String, TestServers.Node> nodes = servers.nodes(root);
		return nodes.values()
			.stream()
			.filter((node) -> node.ephemeral() || isBelowKeyNode(root, node.path()))
			.map((node) -> "node " + node)
			.toList();
	}

	private static boolean isBelowKeyNode(String root, String path) {
		return path.startsWith(root + "/") && path.indexOf('/', root.length() + 1) >= 0;
	}

	/**
	 * Finds watches that servers keep.
	 */
	public static List<String> serverWatches(TestServers servers, String root) {
		return servers.watches(root)
			.entrySet()
			.stream()
			.map((entry) -> "server-side watch on " + entry.getKey() + " of "
					+ entry.getValue().stream().map("0x%x"::formatted).toList())
			.toList();
	}

	/**
	 * Finds watches that a ZooKeeper handle keeps.
	 */
	public static List<String> clientWatches(ZooKeeper handle) {
		List<String> found = new ArrayList<>();
		for (String kind : List.of("Data", "Exist", "Child", "Persistent", "PersistentRecursive")) {
			try {
				Method method = ZooKeeper.class.getDeclaredMethod("get" + kind + "Watches");
				method.setAccessible(true);
				for (Object path : (Collection<?>) method.invoke(handle)) {
					found.add("client-side %s watch on %s of 0x%x".formatted(kind, path, handle.getSessionId()));
				}
			}
			catch (ReflectiveOperationException ex) {
				throw new IllegalStateException(ex);
			}
		}
		return found;
	}

	/**
	 * Returns the threads of all engines in this JVM.
	 * @return the threads that are alive
	 */
	public static Set<Thread> engineThreads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.isAlive() && thread.getName().startsWith(ENGINE_THREADS))
			.collect(Collectors.toSet());
	}

	/**
	 * Finds threads of the engine, except those of engines that others started before.
	 * @param known the threads that there were
	 * @return a line for each further one
	 */
	public static List<String> threads(Set<Thread> known) {
		return engineThreads().stream()
			.filter((thread) -> !known.contains(thread))
			.map((thread) -> "thread " + thread.getName())
			.sorted()
			.toList();
	}

}
