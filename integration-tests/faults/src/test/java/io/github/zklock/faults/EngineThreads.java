package io.github.zklock.faults;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The threads of all lock clients in this JVM, which are known by their names.
 */
final class EngineThreads {

	private static final String PREFIX = "zk-lock-";

	private EngineThreads() {
	}

	static Set<Thread> alive() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.isAlive() && thread.getName().startsWith(PREFIX))
			.collect(Collectors.toSet());
	}

	/**
	 * Names the threads that are alive, except those that were there before.
	 * @param known the threads that were there before
	 * @return a line for each further one
	 */
	static List<String> aliveExcept(Set<Thread> known) {
		return alive().stream()
			.filter((thread) -> !known.contains(thread))
			.map((thread) -> "thread " + thread.getName())
			.sorted()
			.toList();
	}

}
