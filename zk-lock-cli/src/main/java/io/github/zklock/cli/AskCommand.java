package io.github.zklock.cli;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import io.github.zklock.inspect.HolderNote;
import io.github.zklock.inspect.LockQueue;

/**
 * Asks those who hold a lock to let go.
 */
@Command(name = "ask",
		description = "Asks those who hold a lock to let go, and waits. They decide: the application must have an "
				+ "onContended action for the lock.")
final class AskCommand extends LockCommand {

	private static final long PAUSE_MILLIS = 100;

	@Parameters(paramLabel = "KEY", description = "The key")
	String key = "";

	@Option(names = "--reason", paramLabel = "TEXT",
			description = "Why, in a few words: the holder's application is given them")
	String reason = "";

	@Option(names = "--wait", paramLabel = "TIME", converter = TimeSpan.class, defaultValue = "10s",
			description = "How long to wait until they have let go (${DEFAULT-VALUE})")
	Duration patience = Duration.ZERO;

	@Override
	int run(LockConnection connection, Printer printer) throws InterruptedException {
		request(this.key);
		long began = System.nanoTime();
		Set<String> holders = holders(connection);
		if (holders.isEmpty()) {
			complain("Nobody holds the lock '" + this.key + "'");
			return ZkLockCli.NOTHING;
		}
		List<HolderNote> asked = ask(connection);
		asked.forEach((holder) -> printer.print(text(holder), holder));
		if (asked.isEmpty()) {
			complain("No holder of '" + this.key + "' can be asked: none has an onContended action, or those that have "
					+ "one have held it for less than two seconds");
			return ZkLockCli.NOTHING;
		}
		boolean released = awaitRelease(connection, holders, began);
		double seconds = (System.nanoTime() - began) / 1e9;
		printer.print(String.format(Locale.ROOT, "%s after %.1f s", released ? "Released" : "Still held", seconds),
				Map.of("key", this.key, "released", released, "seconds", seconds));
		return released ? ExitCode.OK : ZkLockCli.NOTHING;
	}

	private List<HolderNote> ask(LockConnection connection) {
		try {
			return connection.inspector().ask(this.key, this.reason);
		}
		catch (IllegalArgumentException ex) {
			throw wrongUsage(ex);
		}
	}

	private static String text(HolderNote holder) {
		String who = "%s (host %s, pid %s)".formatted(holder.instance(), holder.host(), holder.pid());
		return holder.noticed() ? "Asked " + who : "Asked " + who + ", which has not noticed it yet";
	}

	private boolean awaitRelease(LockConnection connection, Set<String> holders, long began)
			throws InterruptedException {
		while (!holders.isEmpty()) {
			holders.retainAll(holders(connection));
			if (!holders.isEmpty()) {
				if (System.nanoTime() - began >= this.patience.toNanos()) {
					return false;
				}
				TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
			}
		}
		return true;
	}

	// All naive nodes of a key have one path, so the token belongs to it
	private Set<String> holders(LockConnection connection) {
		return connection.inspector()
			.line(this.key)
			.contenders()
			.stream()
			.filter(LockQueue.Contender::holds)
			.map((holder) -> holder.path() + " " + holder.token())
			.collect(Collectors.toSet());
	}

}
