package io.github.zklock.cli;

import java.util.concurrent.Callable;

import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import io.github.zklock.LockException;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;

/**
 * What all commands have in common: they connect, do one thing, and say how it went.
 */
abstract class LockCommand implements Callable<Integer> {

	@Spec
	CommandSpec spec = CommandSpec.create();

	@Mixin
	ConnectionOptions connection = new ConnectionOptions();

	@Option(names = "--json", description = "Prints JSON instead of text")
	boolean json;

	@Option(names = { "-h", "--help" }, usageHelp = true, description = "Shows this help")
	boolean help;

	@Override
	public final Integer call() throws Exception {
		Printer printer = new Printer(this.spec.commandLine().getOut(), this.json);
		try (LockConnection opened = open()) {
			if (!opened.exists(opened.root())) {
				complain("There was no node '" + opened.root()
						+ "': no application has locks below it yet. Look at --root, and at the path at the end of the connect string");
			}
			return run(opened, printer);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LockUnavailableException("Interrupted", ex);
		}
	}

	private LockConnection open() throws InterruptedException {
		try {
			return LockConnection.open(ConnectionSettings.read(this.connection), creates());
		}
		catch (IllegalArgumentException ex) {
			throw wrongUsage(ex);
		}
	}

	/**
	 * Returns whether the command creates nodes.
	 * @return false unless it does
	 */
	boolean creates() {
		return false;
	}

	/**
	 * Does what the command is for.
	 * @param connection the connection, connected
	 * @param printer takes what is found
	 * @return the exit code
	 * @throws InterruptedException if interrupted
	 */
	abstract int run(LockConnection connection, Printer printer) throws InterruptedException;

	/**
	 * Ends a command that only shows something.
	 * @param printer has printed it
	 * @param nothing whether nothing was found
	 * @return the exit code
	 */
	int shown(Printer printer, boolean nothing) {
		if (printer.isBroken()) {
			complain("What was found could not be written");
			return ExitCode.SOFTWARE;
		}
		return nothing ? ZkLockCli.NOTHING : ExitCode.OK;
	}

	/**
	 * Describes a request for a key.
	 * @param key what was given as key
	 * @return the request
	 * @throws ParameterException if it cannot be a key
	 */
	LockRequest request(String key) {
		try {
			return LockRequest.exclusive(key);
		}
		catch (IllegalArgumentException ex) {
			throw wrongUsage(ex);
		}
	}

	/**
	 * Prints on the error output, also with {@code --json}.
	 * @param message a sentence for people
	 */
	void complain(String message) {
		this.spec.commandLine().getErr().println(LockException.printable(message));
	}

	ParameterException wrongUsage(IllegalArgumentException cause) {
		return new ParameterException(this.spec.commandLine(), String.valueOf(cause.getMessage()), cause);
	}

}
