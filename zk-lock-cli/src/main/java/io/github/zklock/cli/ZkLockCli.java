package io.github.zklock.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.UnmatchedArgumentException;

import io.github.zklock.LockException;

/**
 * The command line of the locks, for people who operate them.
 *
 * @since 0.1.0
 */
@Command(name = "zk-lock-cli", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
		versionProvider = CliVersion.class,
		description = "Shows, holds and releases the locks below a root, as ZooKeeper has them.",
		subcommands = { ListCommand.class, ShowCommand.class, WaitsCommand.class, JobsCommand.class, AskCommand.class,
				ReleaseCommand.class, HoldCommand.class, WatchCommand.class, HelpCommand.class },
		exitCodeListHeading = "%nExit codes:%n",
		exitCodeList = { "0:done", "1:no server answered, it refused, the lock was lost, or nothing can be written",
				"2:wrong usage", "3:nothing found, or the key is busy" })
public final class ZkLockCli {

	/** What is not there, or not free. */
	static final int NOTHING = 3;

	private static final int CLOSING_SECONDS = 30;

	private ZkLockCli() {
	}

	/**
	 * Runs a command and ends with its exit code. A signal ends it in order: what is held
	 * is released first.
	 * @param args see {@code --help}
	 */
	public static void main(String[] args) {
		CountDownLatch ended = new CountDownLatch(1);
		AtomicBoolean begun = new AtomicBoolean();
		Thread main = Thread.currentThread();
		Runtime.getRuntime().addShutdownHook(new Thread(() -> interruptAndWait(main, begun, ended), "cli-stop"));
		int code;
		try {
			code = execute(() -> begun.set(true), new PrintWriter(System.out, true, StandardCharsets.UTF_8),
					new PrintWriter(System.err, true, StandardCharsets.UTF_8), args);
		}
		finally {
			ended.countDown();
		}
		System.exit(code);
	}

	// Who is still asked for a password is not interrupted by that, and has nothing open
	private static void interruptAndWait(Thread main, AtomicBoolean begun, CountDownLatch ended) {
		main.interrupt();
		try {
			if (begun.get() && !ended.await(CLOSING_SECONDS, TimeUnit.SECONDS)) {
				System.err
					.println("Not closed within %d s; the servers will expire the session".formatted(CLOSING_SECONDS));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	static int execute(PrintWriter out, PrintWriter err, String... args) {
		return execute(() -> {
		}, out, err, args);
	}

	/**
	 * Runs a command.
	 * @param begin run when it is known which one, with all passwords
	 * @param out takes what it prints
	 * @param err takes what went wrong
	 * @param args see {@code --help}
	 * @return the exit code
	 */
	private static int execute(Runnable begin, PrintWriter out, PrintWriter err, String... args) {
		CommandLine line = new CommandLine(new ZkLockCli());
		line.setOut(out);
		line.setErr(err);
		line.setCaseInsensitiveEnumValuesAllowed(true);
		// A key may begin with @
		line.setExpandAtFiles(false);
		line.setExecutionExceptionHandler((ex, command, result) -> {
			command.getErr()
				.println(LockException.printable((ex.getMessage() != null) ? ex.getMessage() : ex.toString()));
			return ExitCode.SOFTWARE;
		});
		line.setExecutionStrategy((parsed) -> {
			begin.run();
			return new CommandLine.RunLast().execute(parsed);
		});
		if (args.length == 0) {
			line.usage(err);
			return ExitCode.USAGE;
		}
		String[] asking = askingLast(args);
		if (!Arrays.equals(asking, args)) {
			IParameterExceptionHandler usual = line.getParameterExceptionHandler();
			line.setParameterExceptionHandler((ex, all) -> (ex instanceof UnmatchedArgumentException)
					? refuseUnmatched(ex.getCommandLine()) : usual.handleParseException(ex, all));
		}
		return line.execute(asking);
	}

	// What is too much may be the password
	private static int refuseUnmatched(CommandLine command) {
		command.getErr()
			.println("There are more arguments than %s takes; a password is written as --password=VALUE"
				.formatted(command.getCommandName()));
		return ExitCode.USAGE;
	}

	// A password that is to be asked for would take the argument after it for its value
	private static String[] askingLast(String... args) {
		List<String> values = Arrays.asList(args);
		int end = values.contains("--") ? values.indexOf("--") : args.length;
		List<String> ordered = new ArrayList<>(values.subList(0, end));
		List<String> asking = ordered.stream().filter(ConnectionOptions.PASSWORDS::contains).toList();
		ordered.removeAll(asking);
		ordered.addAll(asking);
		ordered.addAll(values.subList(end, args.length));
		return ordered.toArray(String[]::new);
	}

}
