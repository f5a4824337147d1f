package io.github.zklock.cli;

import picocli.CommandLine.Command;

import io.github.zklock.inspect.LockInspector.Waits;

/**
 * Shows who waits for whom.
 */
@Command(name = "waits", description = "Shows who waits for whom, on all keys, and who waits in a circle.")
final class WaitsCommand extends LockCommand {

	@Override
	int run(LockConnection connection, Printer printer) {
		Waits waits = connection.inspector().waits();
		printer.print(waits);
		return shown(printer, waits.waits().isEmpty());
	}

}
