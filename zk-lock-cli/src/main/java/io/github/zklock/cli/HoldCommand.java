package io.github.zklock.cli;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;

/**
 * Holds a key, so that everybody else waits.
 */
@Command(name = "hold", description = "Takes a key and holds it until it is interrupted: a pause for everybody else.")
final class HoldCommand extends LockCommand {

	@Parameters(paramLabel = "KEY", description = "The key, without the prefix")
	String key = "";

	@Option(names = "--for", converter = TimeSpan.class, paramLabel = "DURATION",
			description = "For how long, as in 10m; until interrupted unless given")
	@Nullable Duration duration;

	@Option(names = "--timeout", converter = TimeSpan.class, paramLabel = "DURATION",
			description = "How long to queue for it at most (10s)")
	Duration timeout = Duration.ofSeconds(10);

	@Override
	boolean creates() {
		return true;
	}

	@Override
	int run(LockConnection connection, Printer printer) throws InterruptedException {
		LockRequest request = request(this.key).timeout(this.timeout);
		Optional<LockHandle> taken = connection.client().tryAcquire(request);
		if (taken.isEmpty()) {
			printer.print(KeyReport.of(connection.inspector().line(this.key)));
			this.spec.commandLine().getErr().println(Printer.clean("The lock '" + this.key + "' is busy"));
			return ZkLockCli.NOTHING;
		}
		CountDownLatch lost = new CountDownLatch(1);
		try (LockHandle handle = taken.get()) {
			handle.onLost(lost::countDown);
			printer.print("Holding '%s', token %d".formatted(this.key, handle.fencingToken()),
					Map.of("key", this.key, "token", handle.fencingToken()));
			if (await(lost)) {
				this.spec.commandLine().getErr().println(Printer.clean("The lock '" + this.key + "' was lost"));
				return ExitCode.SOFTWARE;
			}
		}
		return ExitCode.OK;
	}

	// An interrupt is the usual end.
	private boolean await(CountDownLatch lost) {
		try {
			if (this.duration != null) {
				return lost.await(this.duration.toNanos(), TimeUnit.NANOSECONDS);
			}
			lost.await();
			return true;
		}
		catch (InterruptedException ex) {
			return lost.getCount() == 0;
		}
	}

}
