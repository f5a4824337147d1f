package io.github.zklock.benchmarks.process;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import io.github.zklock.harness.ChildProcess;
import io.github.zklock.harness.Launch;
import io.github.zklock.harness.Ports;
import io.github.zklock.harness.Waiting;

/**
 * A Redis server with an append-only file.
 */
public final class RedisServer implements AutoCloseable {

	private static final String COMMAND = "redis-server";

	private static final Duration START = Duration.ofSeconds(90);

	private final ChildProcess process;

	private final int port;

	private RedisServer(ChildProcess process, int port) {
		this.process = process;
		this.port = port;
	}

	/**
	 * Returns whether Redis is installed here.
	 * @return what it says about its version, or empty if it is not installed
	 */
	public static Optional<String> version() {
		boolean installed = Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
			.anyMatch((directory) -> Files.isExecutable(Path.of(directory, COMMAND)));
		if (!installed) {
			return Optional.empty();
		}
		try {
			Process process = new ProcessBuilder(COMMAND, "--version").start();
			String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			return Optional.of(answer.replaceAll("(?s).* v=(\\S+) .*", "$1"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Starts a server.
	 * @param directory where its data goes
	 * @param appendfsync when it forces to the disk: {@code always} or {@code everysec}
	 * @return the server, serving
	 */
	public static RedisServer start(Path directory, String appendfsync) {
		try {
			Files.createDirectories(directory);
			Path data = Files.createTempDirectory(directory, "redis");
			int port = Ports.free(1).get(0);
			ChildProcess process = Launch.program(COMMAND)
				.arguments(List.of("--bind", "127.0.0.1", "--port", Integer.toString(port), "--dir", data.toString(),
						"--daemonize", "no", "--save", "", "--appendonly", "yes", "--appendfsync", appendfsync,
						"--logfile", data.resolve("log").toString()))
				.start(data.resolve("errors"));
			RedisServer server = new RedisServer(process, port);
			Waiting.until("Redis serves or has ended", START, () -> server.answers() || !process.isAlive());
			if (!process.isAlive()) {
				throw new IllegalStateException("Redis has ended at once; see " + data.resolve("errors"));
			}
			return server;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private boolean answers() {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), this.port)) {
			socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
			return socket.getInputStream().read() == '+';
		}
		catch (IOException ex) {
			return false;
		}
	}

	/**
	 * Returns where it serves.
	 * @return its address
	 */
	public String connectString() {
		return "redis://127.0.0.1:" + this.port;
	}

	/**
	 * Returns how much time of the processors it has used so far.
	 * @return the time of all its threads
	 */
	public Duration cpu() {
		return this.process.cpu();
	}

	@Override
	public void close() {
		this.process.terminate();
	}

}
