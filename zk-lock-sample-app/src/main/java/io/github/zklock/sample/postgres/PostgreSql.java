package io.github.zklock.sample.postgres;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

import org.springframework.util.FileSystemUtils;

/**
 * A PostgreSQL server with a cluster of its own in a temporary directory, from the
 * programs that Debian installs. It refuses to run as root, who has it run as the user
 * {@code postgres}.
 */
public final class PostgreSql implements AutoCloseable {

	private static final Path INSTALLED = Path.of("/usr/lib/postgresql");

	private static final String USER = "shop";

	private final Path programs;

	private final Path directory;

	private final int port;

	private final String password = UUID.randomUUID().toString();

	private PostgreSql(Path programs, Path directory) throws IOException {
		this.programs = programs;
		this.directory = directory;
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			this.port = socket.getLocalPort();
		}
	}

	/**
	 * Says whether the programs are here.
	 * @return whether a server can be started
	 */
	public static boolean isInstalled() {
		return programs().isPresent();
	}

	static Optional<Path> programs() {
		if (!Files.isDirectory(INSTALLED)) {
			return Optional.empty();
		}
		try (Stream<Path> versions = Files.list(INSTALLED)) {
			return versions.map((version) -> version.resolve("bin"))
				.filter((programs) -> Files.isExecutable(programs.resolve("initdb")))
				.max(Comparator.naturalOrder());
		}
		catch (IOException ex) {
			return Optional.empty();
		}
	}

	/**
	 * Starts a server.
	 * @return the server, which answers
	 * @throws IOException if it cannot be started
	 * @throws InterruptedException if interrupted
	 */
	public static PostgreSql start() throws IOException, InterruptedException {
		return start(programs()
			.orElseThrow(() -> new IOException("There is no PostgreSQL below " + INSTALLED + "; install postgresql")));
	}

	static PostgreSql start(Path programs) throws IOException, InterruptedException {
		PostgreSql server = new PostgreSql(programs, Files.createTempDirectory("shop-postgres"));
		try {
			server.create();
			server.run("pg_ctl", "--pgdata=" + server.cluster(), "--log=" + server.directory.resolve("log"), "--wait",
					"--options=-p %s -h 127.0.0.1 -k %s -F".formatted(server.port, server.directory), "start");
			return server;
		}
		catch (IOException | InterruptedException ex) {
			server.discard(ex);
			throw ex;
		}
	}

	private void discard(Exception failure) {
		try {
			try {
				if (Files.exists(cluster().resolve("postmaster.pid"))) {
					run("pg_ctl", "--pgdata=" + cluster(), "--mode=immediate", "--wait", "stop");
				}
			}
			finally {
				FileSystemUtils.deleteRecursively(this.directory);
			}
		}
		catch (IOException | InterruptedException ex) {
			failure.addSuppressed(ex);
		}
	}

	private void create() throws IOException, InterruptedException {
		Path passwordFile = Files.writeString(this.directory.resolve("password"), this.password);
		for (Path file : List.of(this.directory, passwordFile)) {
			if (isRoot()) {
				Files.setOwner(file,
						file.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("postgres"));
			}
		}
		run("initdb", "--pgdata=" + cluster(), "--username=" + USER, "--pwfile=" + passwordFile, "--auth=scram-sha-256",
				"--encoding=UTF8", "--locale=C", "--no-sync");
	}

	private Path cluster() {
		return this.directory.resolve("cluster");
	}

	private static boolean isRoot() {
		return "root".equals(System.getProperty("user.name"));
	}

	private void run(String program, String... arguments) throws IOException, InterruptedException {
		List<String> command = new ArrayList<>();
		if (isRoot()) {
			command.addAll(List.of("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"));
		}
		command.add(this.programs.resolve(program).toString());
		command.addAll(List.of(arguments));
		// A pipe would stay open as long as the server runs
		File output = Files.createTempFile("shop-postgres", ".out").toFile();
		try {
			int status = await(new ProcessBuilder(command).directory(this.directory.toFile())
				.redirectErrorStream(true)
				.redirectOutput(output)
				.start());
			if (status != 0) {
				throw new IOException(program + " failed: " + Files.readString(output.toPath()));
			}
		}
		finally {
			Files.delete(output.toPath());
		}
	}

	// Also if interrupted: who does not await the start of the server cannot stop it
	private static int await(Process process) throws InterruptedException {
		boolean interrupted = false;
		while (process.isAlive()) {
			try {
				process.waitFor();
			}
			catch (InterruptedException ex) {
				interrupted = true;
			}
		}
		if (interrupted || Thread.interrupted()) {
			throw new InterruptedException("Interrupted while a program of PostgreSQL ran");
		}
		return process.exitValue();
	}

	/**
	 * Returns where the server is.
	 * @return host, port and database
	 */
	public String address() {
		return "127.0.0.1:" + this.port + "/postgres";
	}

	/**
	 * Returns who may log in.
	 * @return the only user
	 */
	public String user() {
		return USER;
	}

	/**
	 * Returns the secret of the user.
	 * @return a password that was made for this server
	 */
	public String password() {
		return this.password;
	}

	@Override
	public void close() throws IOException, InterruptedException {
		try {
			run("pg_ctl", "--pgdata=" + cluster(), "--mode=fast", "--wait", "stop");
		}
		finally {
			FileSystemUtils.deleteRecursively(this.directory);
		}
	}

}
