package io.github.zklock.benchmarks.worker;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

import org.apache.zookeeper.CountingSocket;

import io.github.zklock.benchmarks.peer.Connection;
import io.github.zklock.benchmarks.peer.Contestant;
import io.github.zklock.harness.ChildProcess;

/**
 * A process of many clients, each with a session of its own as if it were a process, that
 * wait for one key. Standard input says {@code open <count>}, {@code enter <client>},
 * {@code release <client>}, {@code read} and {@code close}. It reports the moments of
 * {@code System.nanoTime()}: {@code granted <client> <moment>} when a client was granted
 * the lock, {@code released <client> <moment>} before it is released,
 * {@code refused <client> <why>} when it could not be acquired or released. The answer to
 * {@code read} is {@code read <bytes>}.
 */
public final class HerdMain {

	/** The system property for how many permits there are; without it there is a lock. */
	public static final String PERMITS = "herd.permits";

	private final Contestant contestant;

	private final Connection connection;

	private final int firstNumber;

	private final List<HerdMember> members = new ArrayList<>();

	private HerdMain(Contestant contestant, Connection connection, int firstNumber) {
		this.contestant = contestant;
		this.connection = connection;
		this.firstNumber = firstNumber;
	}

	/**
	 * Writes the arguments of the main method.
	 * @param contestant what the clients lock with
	 * @param connection where the servers are
	 * @param firstNumber the number of the first of its clients
	 * @return the arguments
	 */
	public static List<String> arguments(Contestant contestant, Connection connection, int firstNumber) {
		return List.of(contestant.name(), connection.servers(), connection.root(),
				Integer.toString(connection.sessionMillis()), Integer.toString(firstNumber));
	}

	/**
	 * Does what standard input says until it ends.
	 * @param args what {@link #arguments} has written
	 */
	public static void main(String[] args) {
		HerdMain herd = new HerdMain(Contestant.valueOf(args[0]),
				new Connection(args[1], args[2], Integer.parseInt(args[3])), Integer.parseInt(args[4]));
		try {
			BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
			for (String line = input.readLine(); line != null; line = input.readLine()) {
				herd.obey(line.split(" ", -1));
			}
			System.exit(0);
		}
		catch (Exception ex) {
			ex.printStackTrace();
			System.out.println(ChildProcess.FAILED + ex);
			System.exit(1);
		}
	}

	private void obey(String[] words) throws Exception {
		switch (words[0]) {
			case "open" -> open(Integer.parseInt(words[1]));
			case "enter" -> member(words[1]).enter();
			case "release" -> member(words[1]).release();
			case "read" -> System.out.println("read " + CountingSocket.bytesRead());
			case "close" -> close();
			default -> throw new IllegalArgumentException("Not an order: " + words[0]);
		}
	}

	private HerdMember member(String number) {
		return this.members.get(Integer.parseInt(number) - this.firstNumber);
	}

	private void open(int count) {
		for (int i = 0; i < count; i++) {
			this.members.add(new HerdMember(this.firstNumber + i, this.contestant.open(this.connection)));
		}
		System.out.println(WorkerMain.OPENED);
	}

	private void close() {
		ExecutorService closers = Executors.newFixedThreadPool(32);
		CompletableFuture
			.allOf(IntStream.range(0, this.members.size())
				.mapToObj((i) -> CompletableFuture.runAsync(this.members.get(i)::close, closers))
				.toArray(CompletableFuture[]::new))
			.join();
		closers.shutdown();
		System.out.println(WorkerMain.CLOSED);
	}

}
