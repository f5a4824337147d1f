package io.github.zklock.drill;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free ports of the loopback address, from a range that systems do not give to outgoing
 * connections.
 */
final class Ports {

	private static final int FIRST = 10_000;

	private static final int LAST = 30_000;

	private Ports() {
	}

	static List<Integer> free(int count) {
		Set<Integer> ports = new LinkedHashSet<>();
		while (ports.size() < count) {
			int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
			if (isFree(port)) {
				ports.add(port);
			}
		}
		return List.copyOf(ports);
	}

	private static boolean isFree(int port) {
		try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
			return socket.isBound();
		}
		catch (IOException ex) {
			return false;
		}
	}

}
