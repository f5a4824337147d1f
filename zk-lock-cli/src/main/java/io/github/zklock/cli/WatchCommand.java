package io.github.zklock.cli;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.apache.zookeeper.KeeperException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import io.github.zklock.LockUnavailableException;
import io.github.zklock.inspect.LockInspector;
import io.github.zklock.inspect.LockQueue;

/**
 * Looks again and again, and prints what has changed.
 */
@Command(name = "watch",
		description = "Looks at one key, or at all, again and again, and prints them when they have changed, "
				+ "until it is interrupted.")
final class WatchCommand extends LockCommand {

	@Parameters(paramLabel = "KEY", arity = "0..1", description = "The key, without the prefix; all unless given")
	@Nullable String key;

	@Option(names = "--interval", converter = TimeSpan.class, paramLabel = "DURATION",
			description = "The pause between two looks (2s)")
	Duration interval = Duration.ofSeconds(2);

	@Option(names = "--for", converter = TimeSpan.class, paramLabel = "DURATION",
			description = "For how long, as in 10m; until interrupted unless given")
	@Nullable Duration duration;

	private boolean unanswered;

	@Override
	int run(LockConnection connection, Printer printer) {
		long began = System.nanoTime();
		List<LockQueue> known = null;
		try {
			do {
				List<LockQueue> seen = look(connection.inspector(), known);
				if (!seen.equals(known)) {
					print(printer, seen);
				}
				known = seen;
				TimeUnit.NANOSECONDS.sleep(pause(began));
			}
			while (!printer.isBroken()
					&& (this.duration == null || System.nanoTime() - began < this.duration.toNanos()));
		}
		catch (InterruptedException ex) {
			// The usual end
		}
		return ExitCode.OK;
	}

	// In an outage what was seen before is all that is known. At the first look nothing
	// is; and a refusal does not pass by itself
	private List<LockQueue> look(LockInspector inspector, @Nullable List<LockQueue> known) throws InterruptedException {
		try {
			List<LockQueue> seen = look(inspector);
			this.unanswered = false;
			return seen;
		}
		catch (LockUnavailableException ex) {
			if (Thread.interrupted()) {
				throw new InterruptedException();
			}
			if (known == null || ex.getCause() instanceof KeeperException.NoAuthException) {
				throw ex;
			}
			if (!this.unanswered) {
				this.unanswered = true;
				complain("The watch goes on when the servers answer again. " + ex.getMessage());
			}
			return known;
		}
	}

	private long pause(long began) {
		long pause = Math.max(1_000_000, this.interval.toNanos());
		return (this.duration == null) ? pause
				: Math.min(pause, Math.max(0, this.duration.toNanos() - (System.nanoTime() - began)));
	}

	private List<LockQueue> look(LockInspector inspector) {
		String wanted = this.key;
		return (wanted != null) ? List.of(inspector.line(request(wanted).keys().get(0))) : TakenKeys.read(inspector);
	}

	private void print(Printer printer, List<LockQueue> queues) {
		List<KeyReport> keys = queues.stream().map(KeyReport::of).toList();
		if (!this.json) {
			String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
			printer.print(now + (keys.isEmpty() ? ": nobody holds or waits" : ""), now);
		}
		printer.print(keys);
	}

}
