package io.github.zklock.benchmarks.run;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;

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

	private final List<ChildProcess> processes = new ArrayList<>();

	private final Map<String, Queue<String>> received = new TreeMap<>();

	private final int share;

	/**
	 * Starts the processes and connects their clients.
	 * @param site where the servers are
	 * @param contestant what they lock with
	 * @param clients how many clients there are in all
	 */
	HerdProcesses(Site site, Contestant contestant, int clients) {
		int processes = Math.min(MAX_PROCESSES, 1 + clients / CLIENTS_OF_PROCESS);
		this.share = (clients + processes - 1) / processes;
		for (int i = 0; i * this.share < clients; i++) {
			ChildProcess process = Launch.java(HerdMain.class)
				.readingInput()
				.options(List.of("-Xss512k", "-Xmx512m"))
				.arguments(HerdMain.arguments(contestant, site.longConnection(contestant, i), i * this.share))
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
	 * Makes all of them disconnect.
	 */
	void sendClose() {
		this.processes.forEach((process) -> process.send("close"));
	}

	/**
	 * Waits for the next line that begins with a word.
	 * @param word the word
	 * @return the whole line, in words
	 */
	String[] receive(String word) {
		Queue<String> lines = this.received.computeIfAbsent(word, (key) -> new ArrayDeque<>());
		Waiting.until("a client says " + word, Herd.PATIENCE, () -> {
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
