package io.github.zklock.benchmarks.process;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * One ZooKeeper server in a JVM of its own.
 */
final class ServerProcess implements AutoCloseable {

	private static final int ANSWER_MILLIS = 10_000;

	private final int port;

	private final JavaProcess process;

	private long asked;

	private long packetsOfQuestion;

	ServerProcess(int port, JavaProcess process) {
		this.port = port;
		this.process = process;
	}

	String connectString() {
		return "127.0.0.1:" + this.port;
	}

	/**
	 * Tells which part it plays.
	 * @return {@code leader}, {@code follower} or {@code standalone}; empty if it does
	 * not serve
	 */
	String role() {
		try {
			String answer = ask("srvr");
			return answer.contains("Mode: ") ? field(answer, "Mode: ") : "";
		}
		catch (IOException ex) {
			return "";
		}
	}

	/**
	 * Finds out what a question for the counters adds to them. Nobody may be connected
	 * meanwhile.
	 */
	void calibrate() {
		long asked = this.asked;
		long packets = counters().requests();
		this.packetsOfQuestion = (counters().requests() - packets) / ((this.asked - asked) / 2);
	}

	Counters counters() {
		try {
			String mntr = ask("mntr");
			long own = this.asked * this.packetsOfQuestion;
			String srvr = ask("srvr");
			return new Counters(number(mntr, "zk_packets_received") - own,
					Long.decode(field(srvr, "Zxid: ")) & 0xFFFF_FFFFL, number(mntr, "zk_sum_node_deleted_watch_count"));
		}
		catch (IOException ex) {
			throw new IllegalStateException("The server at port " + this.port + " does not answer", ex);
		}
	}

	Duration cpu() {
		return this.process.cpu();
	}

	long watches() {
		try {
			return number(ask("mntr"), "zk_watch_count");
		}
		catch (IOException ex) {
			throw new IllegalStateException("The server at port " + this.port + " does not answer", ex);
		}
	}

	private static long number(String answer, String name) {
		return Double.valueOf(field(answer, name + "\t")).longValue();
	}

	private static String field(String answer, String prefix) {
		return answer.lines()
			.filter((line) -> line.startsWith(prefix))
			.map((line) -> line.substring(prefix.length()).trim())
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("No '" + prefix + "' in the answer " + answer));
	}

	private String ask(String word) throws IOException {
		this.asked++;
		try (Socket socket = new Socket()) {
			socket.setSoTimeout(ANSWER_MILLIS);
			socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), this.port), ANSWER_MILLIS);
			socket.getOutputStream().write(word.getBytes(StandardCharsets.US_ASCII));
			InputStream answer = socket.getInputStream();
			return new String(answer.readAllBytes(), StandardCharsets.UTF_8);
		}
	}

	@Override
	public void close() {
		this.process.close();
	}

}
