package io.github.zklock.testing;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;

import org.apache.zookeeper.server.embedded.ExitHandler;
import org.apache.zookeeper.server.embedded.ZooKeeperServerEmbedded;

/**
 * A server in a JVM of its own, because what secures a server is set by system properties
 * that a client in the same JVM would read too.
 */
public final class SecuredServer implements AutoCloseable {

	private static final String SERVING = "serving";

	private static final String SYSTEM = "-D";

	private final OtherJvm jvm;

	private final int port;

	private SecuredServer(OtherJvm jvm, int port) {
		this.jvm = jvm;
		this.port = port;
	}

	/**
	 * Starts a server that speaks TLS.
	 * @param directory where its data is
	 * @param properties its configuration
	 * @return the server, serving; to be closed
	 */
	public static SecuredServer startWithTls(Path directory, Map<String, String> properties) {
		return start(directory, "secureClientPort", properties);
	}

	/**
	 * Starts a server without TLS.
	 * @param directory where its data is
	 * @param properties its configuration, and system properties with -D before the name
	 * @return the server, serving; to be closed
	 */
	public static SecuredServer start(Path directory, Map<String, String> properties) {
		return start(directory, "clientPort", properties);
	}

	private static SecuredServer start(Path directory, String portName, Map<String, String> properties) {
		int port = freePort();
		List<String> arguments = new ArrayList<>(
				List.of(directory.toString(), portName + "=" + port, portName + "Address=127.0.0.1"));
		properties.forEach((name, value) -> arguments.add(name + "=" + value));
		OtherJvm jvm = OtherJvm.start(SecuredServer.class, arguments.toArray(String[]::new));
		String line = jvm.read();
		while (line != null && !line.equals(SERVING)) {
			line = jvm.read();
		}
		if (line == null) {
			throw new IllegalStateException("The server has ended");
		}
		return new SecuredServer(jvm, port);
	}

	private static int freePort() {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Returns how clients reach the server.
	 * @return the connect string
	 */
	public String connectString() {
		return "127.0.0.1:" + this.port;
	}

	@Override
	public void close() {
		this.jvm.close();
	}

	/**
	 * Runs the server until its input ends.
	 * @param arguments the directory, then settings
	 * @throws Exception if it cannot be started
	 */
	public static void main(String... arguments) throws Exception {
		Path directory = Files.createDirectories(Path.of(arguments[0]));
		Properties configuration = new Properties();
		configuration.setProperty("tickTime", "500");
		configuration.setProperty("admin.enableServer", "false");
		for (int i = 1; i < arguments.length; i++) {
			String[] setting = arguments[i].split("=", 2);
			if (setting[0].startsWith(SYSTEM)) {
				System.setProperty(setting[0].substring(SYSTEM.length()), setting[1]);
			}
			else {
				configuration.setProperty(setting[0], setting[1]);
			}
		}
		try (ZooKeeperServerEmbedded server = ZooKeeperServerEmbedded.builder()
			.baseDir(directory)
			.configuration(configuration)
			.exitHandler(ExitHandler.LOG_ONLY)
			.build()) {
			server.start(Duration.ofSeconds(60).toMillis());
			System.out.println(SERVING);
			System.in.transferTo(OutputStream.nullOutputStream());
		}
	}

}
