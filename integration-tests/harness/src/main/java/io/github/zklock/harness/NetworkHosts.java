package io.github.zklock.harness;

import java.util.ArrayList;
import java.util.List;

import io.github.zklock.harness.EnsembleProcesses.Host;

/**
 * Hosts of their own for servers on this machine: network namespaces on one bridge, at
 * which this process is too. Two hosts can be parted: each drops what it should send to
 * the other, silently; or one of them does. Needs root and {@code ip}.
 */
public final class NetworkHosts implements AutoCloseable {

	private static final String NOBODY = "02:00:00:00:77:ff";

	private static final String PREFIX = "zkfaults";

	private static final int NETWORKS = 250;

	// Beyond the ranges of Ports
	private final ClaimedNumber claim = ClaimedNumber.of(30_001, 1, NETWORKS);

	private final int size;

	/**
	 * Makes hosts, in a network that nobody else on this machine has.
	 * @param size how many
	 */
	public NetworkHosts(int size) {
		this.size = size;
		// A process that was killed may have left the network
		clear();
		ip("link", "add", bridge(), "type", "bridge");
		ip("addr", "add", network() + "254/24", "dev", bridge());
		ip("link", "set", bridge(), "up");
		for (int i = 0; i < size; i++) {
			ip("netns", "add", name(i));
			ip("link", "add", name(i), "type", "veth", "peer", "name", "eth0", "address", hardwareAddress(i), "netns",
					name(i));
			ip("link", "set", name(i), "master", bridge(), "up");
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
		return bridge() + "h" + host;
	}

	private String address(int host) {
		return network() + (host + 1);
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
		Command.succeeds(List.of("ip", "link", "del", bridge()));
	}

	@Override
	public void close() {
		clear();
		this.claim.close();
	}

	private String bridge() {
		return PREFIX + this.claim.number();
	}

	private String network() {
		return "10.213." + this.claim.number() + ".";
	}

}
