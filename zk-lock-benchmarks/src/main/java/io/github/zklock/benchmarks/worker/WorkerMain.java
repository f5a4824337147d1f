package io.github.zklock.benchmarks.worker;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import io.github.zklock.benchmarks.peer.Contestant;
import io.github.zklock.benchmarks.peer.Peer;
import io.github.zklock.benchmarks.process.Allocation;
import io.github.zklock.harness.ChildProcess;

/**
 * A process of threads that contend. It does what its standard input says: {@code open}
 * connects, {@code open briefly} with brief tenures, {@code heat <stop>} works as fast as
 * it can until a moment, so that code is compiled, {@code run <start> <stop>} works until
 * the second moment of {@code System.nanoTime()}, which all processes of a machine share,
 * and counts from the first on, {@code serve <start> <stop> <perSecond>} does so for
 * callers that come whether or not earlier ones were served, {@code close} disconnects.
 */
public final class WorkerMain {

	/** The order to connect. */
	public static final String OPEN = "open";

	/** The order to connect with brief tenures. */
	public static final String OPEN_BRIEFLY = "open briefly";

	/** The answer to both. */
	public static final String OPENED = "opened";

	/** The answer to {@code close}. */
	public static final String CLOSED = "closed";

	private final Assignment assignment;

	private final Arbiter arbiter;

	private final SplittableRandom random;

	private final CompilerClock compiler = new CompilerClock();

	private final ExecutorService threads;

	private final List<Visitor> visitors = new ArrayList<>();

	private @Nullable Peer peer;

	private WorkerMain(Assignment assignment) {
		this.assignment = assignment;
		this.arbiter = Arbiter.open(assignment.memory());
		this.random = new SplittableRandom(assignment.process());
		this.threads = Executors.newFixedThreadPool(assignment.threads());
	}

	/**
	 * Does what standard input says until it ends.
	 * @param args what {@link Assignment#toArguments()} has written
	 */
	public static void main(String[] args) {
		WorkerMain worker = new WorkerMain(Assignment.parse(args));
		try {
			BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
			for (String line = input.readLine(); line != null; line = input.readLine()) {
				System.out.println(worker.obey(line.split(" ", -1)));
			}
			System.exit(0);
		}
		catch (Exception ex) {
			ex.printStackTrace();
			System.out.println(ChildProcess.FAILED + ex);
			System.exit(1);
		}
	}

	private String obey(String[] words) throws Exception {
		return switch (words[0]) {
			case OPEN -> open(words.length > 1);
			case "heat" -> run((visitor) -> visitor.heating(Long.parseLong(words[1])));
			case "run" -> run((visitor) -> visitor.counting(Long.parseLong(words[1]), Long.parseLong(words[2])));
			case "serve" -> serve(Long.parseLong(words[1]), Long.parseLong(words[2]), Double.parseDouble(words[3]));
			case "close" -> close();
			default -> throw new IllegalArgumentException("Not an order: " + words[0]);
		};
	}

	private String open(boolean briefly) throws Exception {
		Contestant contestant = this.assignment.contestant();
		Peer opened = briefly ? contestant.openWithBriefTenures(this.assignment.connection())
				: contestant.open(this.assignment.connection());
		this.peer = opened;
		for (int i = 0; i < this.assignment.threads(); i++) {
			Visitor visitor = new Visitor(opened, this.assignment.load(), this.arbiter,
					this.assignment.process() * this.assignment.threads() + i);
			if (i == 0 || this.assignment.load().keys() != KeyChoice.ONE) {
				visitor.visitBefore();
			}
			this.visitors.add(visitor);
		}
		return OPENED;
	}

	private String serve(long start, long stop, double perSecond) throws Exception {
		Arrivals arrivals = new Arrivals(this.random, perSecond, System.nanoTime());
		return run((visitor) -> visitor.serving(start, stop, arrivals));
	}

	private String run(UnaryOperator<Visitor> order) throws Exception {
		long compiled = this.compiler.nanos();
		long allocated = Allocation.bytes();
		List<Future<Tally>> running = new ArrayList<>();
		for (Visitor visitor : this.visitors) {
			running.add(this.threads.submit(order.apply(visitor)));
		}
		Tally sum = Tally.none();
		for (Future<Tally> future : running) {
			sum = sum.plus(future.get());
		}
		return sum.costing(this.compiler.nanos() - compiled, Allocation.bytes() - allocated).text();
	}

	private String close() {
		Peer opened = this.peer;
		if (opened != null) {
			opened.close();
		}
		this.visitors.clear();
		this.peer = null;
		return CLOSED;
	}

}
