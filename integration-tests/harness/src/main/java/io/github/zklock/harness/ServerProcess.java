package io.github.zklock.harness;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * One ZooKeeper server in a JVM of its own. It keeps its data and its ports over
 * {@link #kill()} and {@link #start()}.
 */
public final class ServerProcess implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(2);

	private final int number;

	private final InetSocketAddress clientAddress;

	private final Path configuration;

	private final List<String> launcher;

	private final List<String> options;

	private @Nullable ChildProcess process;

	ServerProcess(int number, InetSocketAddress clientAddress, Path configuration, List<String> launcher,
			List<String> options) {
		this.number = number;
		this.clientAddress = clientAddress;
		this.configuration = configuration;
		this.launcher = launcher;
		this.options = options;
	}

	/** Starts it, or starts it again with the data that it had. */
	public void start() {
		start(List.of());
	}

	private void start(List<String> further) {
		this.process = Launch.java(ServerMain.class)
			.through(this.launcher)
			.options(this.options)
			.options(further)
			.arguments(List.of(this.configuration.toString()))
			.start(Path.of(this.configuration + ".log"));
	}

	/**
	 * Kills it and starts it again with the data that it had.
	 * @param further options of its JVM, this time only
	 */
	public void restart(String... further) {
		kill();
		start(Arrays.asList(further));
	}

	/**
	 * Returns its number in the ensemble.
	 * @return the number, from 1
	 */
	public int number() {
		return this.number;
	}

	/**
	 * Returns where clients connect.
	 * @return its address
	 */
	public InetSocketAddress clientAddress() {
		return this.clientAddress;
	}

	/**
	 * Returns where clients connect.
	 * @return host and port
	 */
	public String connectString() {
		return this.clientAddress.getHostString() + ":" + this.clientAddress.getPort();
	}

	/** Stops all its threads (SIGSTOP); returns when they are up. */
	public void freeze() {
		process().freeze();
	}

	/** Lets its threads go on (SIGCONT). */
	public void thaw() {
		process().thaw();
	}

	private ChildProcess process() {
		ChildProcess started = this.process;
		if (started == null) {
			throw new IllegalStateException(this + " was never started");
		}
		return started;
	}

	/**
	 * Lets it apply no transaction any more while it follows; it must have been started
	 * with {@link ServerMain#MAY_LAG}.
	 */
	public void lagBehind() {
		try {
			Files.createFile(ServerMain.lagFile(this.configuration.toString()));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Lets it apply again what was decided, beginning with what it has missed. */
	public void catchUp() {
		try {
			Files.deleteIfExists(ServerMain.lagFile(this.configuration.toString()));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Returns which transaction it has applied last.
	 * @return its zxid, whose lower half counts the transactions since a leader was
	 * elected
	 */
	public long zxid() {
		return field(ask("srvr"), "Zxid: ").map(Long::decode)
			.orElseThrow(() -> new IllegalStateException("No zxid from " + this));
	}

	/** Kills it; returns when it is gone. */
	public void kill() {
		process().kill();
	}

	public boolean isAlive() {
		return this.process != null && this.process.isAlive();
	}

	/**
	 * Returns the number of its process, which changes when it starts again.
	 * @return the system's number
	 */
	public long pid() {
		return process().pid();
	}

	/**
	 * Returns how much time of the processors it has used so far.
	 * @return the time of all its threads
	 */
	public Duration cpu() {
		return process().cpu();
	}

	/**
	 * Reads what it has logged, in all its lives.
	 * @return the log
	 */
	public String log() {
		return process().log();
	}

	/**
	 * Asks one of the four letter words.
	 * @param word the word
	 * @return the answer; empty if there was none
	 */
	public String ask(String word) {
		return ask(word, PATIENCE);
	}

	/**
	 * Asks one of the four letter words.
	 * @param word the word
	 * @param patience how long to wait for a connection, and for the answer
	 * @return the answer; empty if there was none
	 */
	public String ask(String word, Duration patience) {
		int millis = (int) patience.toMillis();
		try (Socket socket = new Socket()) {
			socket.setSoTimeout(millis);
			socket.connect(this.clientAddress, millis);
			socket.getOutputStream().write(word.getBytes(StandardCharsets.US_ASCII));
			InputStream answer = socket.getInputStream();
			return new String(answer.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			return "";
		}
	}

	/**
	 * Looks a value up in an answer.
	 * @param answer the answer to a four letter word
	 * @param title how the line of the value begins
	 * @return the rest of the line, or empty if there is no such line
	 */
	public static Optional<String> field(String answer, String title) {
		return answer.lines()
			.filter((line) -> line.startsWith(title))
			.map((line) -> line.substring(title.length()).trim())
			.findFirst();
	}

	/**
	 * Asks which part it plays.
	 * @return {@code leader}, {@code follower} or {@code standalone}; empty if it does
	 * not serve
	 */
	public String role() {
		return field(ask("srvr"), "Mode: ").orElse("");
	}

	/**
	 * Returns one of the server's counters.
	 * @param name its name in {@code mntr}
	 * @return its value
	 */
	public long counter(String name) {
		return field(ask("mntr"), name + "\t").map((value) -> Double.valueOf(value).longValue())
			.orElseThrow(() -> new IllegalStateException("No counter " + name + " from " + this));
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
