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
import io.github.zklock.LockUnavailableException;
import io.github.zklock.inspect.LockQueue;

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
			description = "How long to queue for it at most (10s); 0s takes it only if it is free")
	Duration timeout = Duration.ofSeconds(10);

	@Override
	boolean creates() {
		return true;
	}

	@Override
	int run(LockConnection connection, Printer printer) throws InterruptedException {
		// The first answers come late: this process has only just begun. Only the time
		// that a busy key is waited for is bounded by the time-out
		LockRequest request = request(this.key).answerTimeout(connection.timeout());
		Optional<LockHandle> taken = take(connection, request.timeout(Duration.ZERO));
		if (taken.isEmpty() && !this.timeout.isZero()) {
			taken = take(connection, request.timeout(this.timeout));
		}
		if (taken.isEmpty()) {
			printer.print(KeyReport.of(connection.inspector().line(this.key)));
			complain("The lock '" + this.key + "' is busy");
			return ZkLockCli.NOTHING;
		}
		CountDownLatch lost = new CountDownLatch(1);
		try (LockHandle handle = taken.get()) {
			handle.onLost(lost::countDown);
			String node = node(connection);
			printer.print(
					"Holding '%s', token %s".formatted(this.key, handle.fencingToken())
							+ (node.isEmpty() ? "" : ", " + node),
					Map.of("key", this.key, "token", handle.fencingToken(), "node", node));
			if (await(lost)) {
				complain("The lock '" + this.key + "' was lost");
				return ExitCode.SOFTWARE;
			}
		}
		return ExitCode.OK;
	}

	private Optional<LockHandle> take(LockConnection connection, LockRequest request) throws InterruptedException {
		try {
			return connection.client().tryAcquire(request);
		}
		catch (IllegalArgumentException ex) {
			throw wrongUsage(ex);
		}
	}

	// Shows a prefix that was forgotten; without an answer the lock is held all the same
	private String node(LockConnection connection) {
		try {
			return connection.inspector()
				.line(this.key)
				.contenders()
				.stream()
				.filter(LockQueue.Contender::ours)
				.map(LockQueue.Contender::path)
				.findFirst()
				.orElse("");
		}
		catch (LockUnavailableException ex) {
			complain("Its node could not be read: " + ex.getMessage());
			return "";
		}
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
