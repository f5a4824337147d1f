package io.github.zklock.faults;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One ZooKeeper server in a JVM of its own. It keeps its data and its ports over
 * {@link #kill()} and {@link #start()}.
 */
final class ServerProcess implements AutoCloseable {

	private static final int ANSWER_MILLIS = 2_000;

	private final InetSocketAddress clientAddress;

	private final Path configuration;

	private final List<String> launcher;

	private final List<String> options;

	private JavaProcess process;

	ServerProcess(InetSocketAddress clientAddress, Path configuration, List<String> launcher, List<String> options) {
		this.clientAddress = clientAddress;
		this.configuration = configuration;
		this.launcher = launcher;
		this.options = options;
	}

	/** Starts it, or starts it again with the data that it had. */
	void start() {
		start(this.options);
	}

	private void start(List<String> jvm) {
		this.process = JavaProcess.start(this.launcher, jvm, ServerMain.class, List.of(this.configuration.toString()),
				Path.of(this.configuration + ".log"));
	}

	/**
	 * Kills it and starts it again with the data that it had.
	 * @param further options of its JVM, this time only
	 */
	void restart(String... further) {
		kill();
		List<String> all = new ArrayList<>(this.options);
		all.addAll(List.of(further));
		start(all);
	}

	InetSocketAddress clientAddress() {
		return this.clientAddress;
	}

	String connectString() {
		return this.clientAddress.getHostString() + ":" + this.clientAddress.getPort();
	}

	void freeze() {
		this.process.freeze();
	}

	void thaw() {
		this.process.thaw();
	}

	/**
	 * Lets it apply no transaction any more while it follows; it must have been started
	 * with {@link ServerMain#MAY_LAG}.
	 */
	void lagBehind() {
		try {
			Files.createFile(ServerMain.lagFile(this.configuration.toString()));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Lets it apply again what was decided, beginning with what it has missed. */
	void catchUp() {
		try {
			Files.deleteIfExists(ServerMain.lagFile(this.configuration.toString()));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Returns which transaction it has applied last.
	 * @return its zxid
	 */
	long zxid() {
		return ask("srvr").lines()
			.filter((line) -> line.startsWith("Zxid: "))
			.mapToLong((line) -> Long.decode(line.substring("Zxid: ".length()).trim()))
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("No zxid from " + this));
	}

	void kill() {
		this.process.kill();
	}

	boolean isAlive() {
		return this.process != null && this.process.isAlive();
	}

	/**
	 * Asks one of the four letter words.
	 * @param word the word
	 * @return the answer; empty if there was none
	 */
	String ask(String word) {
		try (Socket socket = new Socket()) {
			socket.setSoTimeout(ANSWER_MILLIS);
			socket.connect(this.clientAddress, ANSWER_MILLIS);
			socket.getOutputStream().write(word.getBytes(StandardCharsets.US_ASCII));
			InputStream answer = socket.getInputStream();
			return new String(answer.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			return "";
		}
	}

	/**
	 * Tells which part it plays.
	 * @return {@code leader}, {@code follower} or {@code standalone}; empty if it does
	 * not serve
	 */
	String role() {
		return ask("srvr").lines()
			.filter((line) -> line.startsWith("Mode: "))
			.map((line) -> line.substring("Mode: ".length()).trim())
			.findFirst()
			.orElse("");
	}

	/**
	 * Returns one of the server's counters.
	 * @param name its name in {@code mntr}
	 * @return its value
	 */
	long counter(String name) {
		return ask("mntr").lines()
			.filter((line) -> line.startsWith(name + "\t"))
			.mapToLong((line) -> Double.valueOf(line.substring(name.length() + 1)).longValue())
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("No counter " + name));
	}

	@Override
	public void close() {
		if (this.process != null) {
			this.process.close();
		}
	}

	@Override
	public String toString() {
		return "server " + connectString();
	}

}
