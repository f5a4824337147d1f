package io.github.zklock.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

import io.github.zklock.inspect.LockQueue;

/**
 * Shows one key.
 */
@Command(name = "show", description = "Shows who holds a key and who waits for it.")
final class ShowCommand extends LockCommand {

	@Parameters(paramLabel = "KEY", description = "The key, without the prefix")
	String key = "";

	@Override
	int run(LockConnection connection, Printer printer) {
		LockQueue queue = connection.inspector().line(request(this.key).keys().get(0));
		printer.print(KeyReport.of(queue));
		return shown(printer, queue.contenders().isEmpty());
	}

}
