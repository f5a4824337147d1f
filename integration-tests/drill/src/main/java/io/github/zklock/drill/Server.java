package io.github.zklock.drill;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A ZooKeeper server in a process of its own.
 *
 * @param number its number in the ensemble
 * @param port where clients connect
 * @param jvm its process
 */
record Server(int number, int port, Jvm jvm) {

	private static final Duration PATIENCE = Duration.ofSeconds(2);

	static Server start(int number, int port, Path configuration, Path log) throws IOException {
		return new Server(number, port, Jvm.start(ServerMain.class, log, List.of(), List.of(configuration.toString())));
	}

	/**
	 * Says which part it has in the ensemble.
	 * @return {@code leader} or {@code follower}, or empty text if it serves nobody
	 */
	String mode() {
		return status("Mode: ").orElse("");
	}

	/**
	 * Counts what was written since the leader leads.
	 * @return the number of transactions that this server knows of
	 */
	long writes() {
		return Long.decode(status("Zxid: ").orElseThrow()) & 0xffff_ffffL;
	}

	private Optional<String> status(String title) {
		try (Socket socket = new Socket()) {
			socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), this.port),
					(int) PATIENCE.toMillis());
			socket.setSoTimeout((int) PATIENCE.toMillis());
			socket.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).lines()
				.filter((line) -> line.startsWith(title))
				.map((line) -> line.substring(title.length()))
				.findFirst();
		}
		catch (IOException ex) {
			return Optional.empty();
		}
	}

}
