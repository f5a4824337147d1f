package io.github.zklock.benchmarks.run;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.function.IntFunction;

import io.github.zklock.benchmarks.peer.Connection;
import io.github.zklock.benchmarks.peer.Contestant;
import io.github.zklock.benchmarks.worker.HerdMain;
import io.github.zklock.harness.ChildProcess;
import io.github.zklock.harness.Launch;
import io.github.zklock.harness.Waiting;

/**
 * The processes of a herd, and what they say, sorted by its first word.
 */
final class HerdProcesses implements AutoCloseable {

	private static final int MAX_PROCESSES = 4;

	private static final int CLIENTS_OF_PROCESS = 50;

	// More have too many threads for a JVM
	private static final int MOST_CLIENTS_OF_PROCESS = 500;

	private final List<ChildProcess> processes = new ArrayList<>();

	private final Map<String, Queue<String>> received = new TreeMap<>();

	private final int share;

	/**
	 * Starts the processes and connects their clients, each process to one server.
	 * @param site where the servers are
	 * @param contestant what they lock with
	 * @param clients how many clients there are in all
	 * @param options further options of their JVMs
	 */
	HerdProcesses(Site site, Contestant contestant, int clients, String... options) {
		this(site, contestant, clients, (process) -> site.longConnection(contestant, process), Arrays.asList(options));
	}

	/**
	 * Starts one process and connects its clients.
	 * @param site where the servers are
	 * @param contestant what they lock with
	 * @param clients how many clients there are
	 * @param connection where they connect
	 */
	HerdProcesses(Site site, Contestant contestant, int clients, Connection connection) {
		this(site, contestant, clients, (process) -> connection, List.of());
	}

	private HerdProcesses(Site site, Contestant contestant, int clients, IntFunction<Connection> connections,
			List<String> options) {
		int processes = Math.max(Math.min(MAX_PROCESSES, 1 + clients / CLIENTS_OF_PROCESS),
				clients / MOST_CLIENTS_OF_PROCESS);
		this.share = (clients + processes - 1) / processes;
		for (int i = 0; i * this.share < clients; i++) {
			ChildProcess process = Launch.java(HerdMain.class)
				.readingInput()
				.options(List.of("-Xss512k", "-Xmx512m"))
				.options(options)
				.arguments(HerdMain.arguments(contestant, connections.apply(i), i * this.share))
				.startAnswering(site.plan().work().resolve("herd.log"));
			this.processes.add(process);
			process.send("open " + Math.min(this.share, clients - i * this.share));
		}
	}

	int count() {
		return this.processes.size();
	}

	void send(String order, int client) {
		this.processes.get(client / this.share).send(order + " " + client);
	}

	/**
	 * Counts the attempts that have failed and were repeated.
	 * @return how many were reported so far
	 */
	long refusals() {
		listen();
		return this.received.getOrDefault("refused", new ArrayDeque<>()).size();
	}

	/**
	 * Kills all of them.
	 */
	void kill() {
		this.processes.forEach(ChildProcess::kill);
	}

	/**
	 * Makes all of them disconnect.
	 */
	void sendClose() {
		this.processes.forEach((process) -> process.send("close"));
	}

	/**
	 * Adds up what their clients have read so far.
	 * @return bytes; none if they do not count
	 */
	long bytesRead() {
		this.processes.forEach((process) -> process.send("read"));
		return this.processes.stream().mapToLong((process) -> Long.parseLong(receive("read")[1])).sum();
	}

	/**
	 * Waits for the next line that begins with a word.
	 * @param word the word
	 * @return the whole line, in words
	 */
	String[] receive(String word) {
		return receive(word, Herd.PATIENCE);
	}

	/**
	 * Waits for the next line that begins with a word.
	 * @param word the word
	 * @param patience how long at most
	 * @return the whole line, in words
	 */
	String[] receive(String word, Duration patience) {
		Queue<String> lines = this.received.computeIfAbsent(word, (key) -> new ArrayDeque<>());
		Waiting.until("a client says " + word, patience, () -> {
			listen();
			return !lines.isEmpty();
		});
		return lines.remove().split(" ", -1);
	}

	private void listen() {
		for (ChildProcess process : this.processes) {
			process.poll(Duration.ZERO)
				.ifPresent((line) -> this.received.computeIfAbsent(line.split(" ", -1)[0], (key) -> new ArrayDeque<>())
					.add(line));
		}
	}

	@Override
	public void close() {
		this.processes.forEach(ChildProcess::close);
	}

}
