package io.github.zklock.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.github.zklock.harness.EnsembleProcesses.Host;

/**
 * Hosts of their own for servers on this machine: network namespaces on one bridge, at
 * which this process is too. Two hosts can be parted: each drops what it should send to
 * the other, silently; or one of them does. Needs root and {@code ip}.
 */
public final class NetworkHosts implements AutoCloseable {

	private static final String NOBODY = "02:00:00:00:77:ff";

	private static final int NETWORKS = 250;

	private final Claim claim = claim();

	private final int size;

	/**
	 * Makes hosts, in a network that nobody else on this machine has.
	 * @param size how many
	 */
	public NetworkHosts(int size) {
		this.size = size;
		// A process that was killed may have left the network
		clear();
		ip("link", "add", this.claim.bridge(), "type", "bridge");
		ip("addr", "add", this.claim.network() + "254/24", "dev", this.claim.bridge());
		ip("link", "set", this.claim.bridge(), "up");
		for (int i = 0; i < size; i++) {
			ip("netns", "add", name(i));
			ip("link", "add", name(i), "type", "veth", "peer", "name", "eth0", "address", hardwareAddress(i), "netns",
					name(i));
			ip("link", "set", name(i), "master", this.claim.bridge(), "up");
			ip("-n", name(i), "addr", "add", address(i) + "/24", "dev", "eth0");
			ip("-n", name(i), "link", "set", "eth0", "up");
			ip("-n", name(i), "link", "set", "lo", "up");
		}
	}

	/**
	 * Returns whether this can work here.
	 * @return whether namespaces can be made
	 */
	public static boolean isAvailable() {
		String name = "zktry" + ProcessHandle.current().pid();
		boolean made = Command.succeeds(List.of("ip", "netns", "add", name));
		return made && Command.succeeds(List.of("ip", "netns", "del", name))
				&& Command.succeeds(List.of("ip", "link", "add", name, "type", "bridge"))
				&& Command.succeeds(List.of("ip", "link", "del", name));
	}

	private static void ip(String... arguments) {
		List<String> command = new ArrayList<>(List.of("ip"));
		command.addAll(List.of(arguments));
		Command.run(command);
	}

	private String name(int host) {
		return this.claim.bridge() + "h" + host;
	}

	private String address(int host) {
		return this.claim.network() + (host + 1);
	}

	/**
	 * Returns the hosts.
	 * @return the hosts, in the order of their numbers, which begin with 0
	 */
	public List<Host> hosts() {
		List<Host> hosts = new ArrayList<>();
		for (int i = 0; i < this.size; i++) {
			hosts.add(new Host(address(i), List.of("ip", "netns", "exec", name(i))));
		}
		return hosts;
	}

	/**
	 * Lets two hosts drop each other's packets.
	 * @param one its number
	 * @param other its number
	 */
	public void part(int one, int other) {
		cut(one, other);
		cut(other, one);
	}

	/**
	 * Lets two hosts reach each other again.
	 * @param one its number
	 * @param other its number
	 */
	public void join(int one, int other) {
		heal(one, other);
		heal(other, one);
	}

	/**
	 * Lets a host drop what it should send to another; the way back stays as it is.
	 * @param from its number
	 * @param to the other's number
	 */
	public void cut(int from, int to) {
		neighbour(from, to, NOBODY);
	}

	/**
	 * Lets a host send to another again.
	 * @param from its number
	 * @param to the other's number
	 */
	public void heal(int from, int to) {
		neighbour(from, to, hardwareAddress(to));
	}

	// A route that drops would fail in the sender, whose TCP then behaves otherwise than
	// when packets get lost on the way.
	private void neighbour(int from, int to, String hardwareAddress) {
		ip("-n", name(from), "neigh", "replace", address(to), "lladdr", hardwareAddress, "nud", "permanent", "dev",
				"eth0");
	}

	private static String hardwareAddress(int host) {
		return "02:00:00:00:77:%02x".formatted(host + 1);
	}

	private void clear() {
		for (int i = 0; i < this.size; i++) {
			Command.succeeds(List.of("ip", "netns", "del", name(i)));
			Command.succeeds(List.of("ip", "link", "del", name(i)));
		}
		Command.succeeds(List.of("ip", "link", "del", this.claim.bridge()));
	}

	@Override
	public void close() {
		clear();
		this.claim.close();
	}

	private static Claim claim() {
		for (int number = 1; number <= NETWORKS; number++) {
			FileChannel lock = lock(number);
			if (lock != null) {
				return new Claim(number, lock);
			}
		}
		throw new IllegalStateException("All %d networks for tests are in use".formatted(NETWORKS));
	}

	private static @Nullable FileChannel lock(int number) {
		Path file = Path.of(System.getProperty("java.io.tmpdir"), "zkfaults%d.lock".formatted(number));
		try {
			FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
			if (isLocked(channel)) {
				return channel;
			}
			channel.close();
			return null;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static boolean isLocked(FileChannel channel) throws IOException {
		try {
			return channel.tryLock() != null;
		}
		catch (OverlappingFileLockException ex) {
			// By another one in this JVM
			return false;
		}
	}

	/**
	 * A network that is taken as long as the file is locked, at most until the JVM ends.
	 */
	private record Claim(int number, FileChannel lock) implements AutoCloseable {

		String bridge() {
			return "zkfaults" + this.number;
		}

		String network() {
			return "10.213." + this.number + ".";
		}

		@Override
		public void close() {
			try {
				this.lock.close();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
