package io.github.zklock.drill;

import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * What the script {@code three-by-three} runs.
 */
public final class DrillMain {

	private static final int STOPPING_SECONDS = 30;

	private DrillMain() {
	}

	/**
	 * Runs the drill, and ends with status 0 if nothing was sold twice.
	 * @param args see {@link Plan#USAGE}
	 */
	public static void main(String[] args) {
		if (Arrays.asList(args).contains("--help")) {
			System.out.print(Plan.USAGE);
			return;
		}
		Plan plan;
		try {
			plan = Plan.parse(args);
		}
		catch (IllegalArgumentException ex) {
			System.err.println(ex.getMessage());
			System.err.print(Plan.USAGE);
			System.exit(2);
			return;
		}
		CountDownLatch stopped = new CountDownLatch(1);
		stopWhenTold(Thread.currentThread(), stopped);
		System.exit(run(plan, stopped));
	}

	// On Ctrl-C too, all that was started is stopped
	private static void stopWhenTold(Thread main, CountDownLatch stopped) {
		Runtime.getRuntime().addShutdownHook(new Thread(() -> {
			main.interrupt();
			try {
				stopped.await(STOPPING_SECONDS, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}));
	}

	private static int run(Plan plan, CountDownLatch stopped) {
		try {
			if (plan.capacity()) {
				Capacity.print(System.out);
				return 0;
			}
			return new Drill(plan, System.out).run() ? 0 : 1;
		}
		catch (InterruptedException ex) {
			System.err.println("Stopped");
			return 1;
		}
		catch (Exception ex) {
			System.err.println(ex.getMessage());
			return 1;
		}
		finally {
			stopped.countDown();
		}
	}

}
