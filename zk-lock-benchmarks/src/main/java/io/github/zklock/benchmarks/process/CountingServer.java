package io.github.zklock.benchmarks.process;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import io.github.zklock.harness.ServerProcess;

/**
 * What one server counts, without the questions that are asked for it.
 */
final class CountingServer {

	private static final Pattern SESSION = Pattern.compile("0x\\p{XDigit}+:?");

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final ServerProcess server;

	private @Nullable ServerHeap heap;

	private final long packetsOfQuestion;

	private long asked;

	/**
	 * Finds out what a question adds to the counters. Nobody may be connected meanwhile.
	 * @param server a server that serves
	 */
	CountingServer(ServerProcess server) {
		this.server = server;
		long packets = packets(ask("mntr"));
		ask("srvr");
		// Two questions lie between this answer and the earlier one
		this.packetsOfQuestion = (packets(ask("mntr")) - packets) / 2;
	}

	String connectString() {
		return this.server.connectString();
	}

	InetSocketAddress clientAddress() {
		return this.server.clientAddress();
	}

	Counters counters() {
		String mntr = ask("mntr");
		long own = this.asked * this.packetsOfQuestion;
		String srvr = ask("srvr");
		return new Counters(packets(mntr) - own, Long.decode(value(srvr, "Zxid: ")) & 0xFFFF_FFFFL,
				number(mntr, "zk_sum_node_deleted_watch_count"),
				number(mntr, "zk_sum_node_created_watch_count") + number(mntr, "zk_sum_node_changed_watch_count")
						+ number(mntr, "zk_sum_node_children_watch_count"));
	}

	Duration cpu() {
		return this.server.cpu();
	}

	long allocatedBytes() {
		ServerHeap known = this.heap;
		if (known == null) {
			known = new ServerHeap(this.server.pid());
			this.heap = known;
		}
		return known.bytes();
	}

	/**
	 * Forgets its process, which may be another one from now on.
	 */
	void disconnect() {
		ServerHeap known = this.heap;
		this.heap = null;
		if (known != null) {
			known.close();
		}
	}

	long waiting() {
		return waiting(ask("wchc"), ask("dump"));
	}

	// Who holds for long watches its own node
	static long waiting(String watches, String ephemerals) {
		Map<String, Set<String>> owned = pathsBySession(ephemerals);
		return pathsBySession(watches).entrySet()
			.stream()
			.filter((session) -> !owned.getOrDefault(session.getKey(), Set.of()).containsAll(session.getValue()))
			.count();
	}

	// A session whose watches have all fired is still listed, but without a path
	private static Map<String, Set<String>> pathsBySession(String answer) {
		Map<String, Set<String>> paths = new HashMap<>();
		Set<String> present = new HashSet<>();
		for (String line : answer.lines().toList()) {
			if (SESSION.matcher(line).matches()) {
				present = paths.computeIfAbsent(line.replace(":", ""), (session) -> new HashSet<>());
			}
			else if (line.startsWith("\t/")) {
				present.add(line.trim());
			}
		}
		return paths;
	}

	private String ask(String word) {
		this.asked++;
		String answer = this.server.ask(word, PATIENCE);
		if (answer.isEmpty()) {
			throw new IllegalStateException("No answer from " + this.server);
		}
		return answer;
	}

	private static long packets(String mntr) {
		return number(mntr, "zk_packets_received");
	}

	private static long number(String mntr, String name) {
		return Double.valueOf(value(mntr, name + "\t")).longValue();
	}

	private static String value(String answer, String title) {
		return ServerProcess.field(answer, title)
			.orElseThrow(() -> new IllegalStateException("No '%s' in the answer %s".formatted(title, answer)));
	}

}
