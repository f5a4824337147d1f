package io.github.zklock.drill;

import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;

/**
 * What the script {@code three-by-three} runs.
 */
@Command(name = "three-by-three", sortOptions = false, usageHelpAutoWidth = true,
		description = "Starts three ZooKeeper servers and three instances of the shop that share a database, "
				+ "sells tickets at all three to several clients at once, and says what happened.")
public final class DrillMain implements Callable<Integer> {

	private static final int STOPPING_SECONDS = 30;

	private final CountDownLatch stopped = new CountDownLatch(1);

	@Mixin
	private final DrillOptions options = new DrillOptions();

	private volatile boolean stopping;

	/**
	 * Runs the drill, and ends with status 0 if nothing was sold twice.
	 * @param args see {@link DrillOptions}
	 */
	public static void main(String[] args) {
		System.exit(commandLine().execute(args));
	}

	static CommandLine commandLine() {
		return new CommandLine(new DrillMain());
	}

	@Override
	public Integer call() {
		stopOnCommand(Thread.currentThread());
		try {
			if (this.options.capacity()) {
				Capacity.print(System.out);
				return ExitCode.OK;
			}
			return new Drill(this.options, System.out).run() ? ExitCode.OK : ExitCode.SOFTWARE;
		}
		catch (Exception ex) {
			System.err.println((this.stopping || ex instanceof InterruptedException) ? "Stopped" : ex.getMessage());
			return ExitCode.SOFTWARE;
		}
		finally {
			this.stopped.countDown();
		}
	}

	// On Ctrl-C too, all that was started is stopped
	private void stopOnCommand(Thread main) {
		Runtime.getRuntime().addShutdownHook(new Thread(() -> {
			this.stopping = true;
			main.interrupt();
			try {
				this.stopped.await(STOPPING_SECONDS, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}));
	}

}
