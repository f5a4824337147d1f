package io.github.zklock.cli;

import java.util.List;

import picocli.CommandLine.Command;

/**
 * Lists the keys that are held or wanted.
 */
@Command(name = "list", description = "Lists the keys that are held or wanted, with who holds them and who waits.")
final class ListCommand extends LockCommand {

	@Override
	int run(LockConnection connection, Printer printer) {
		List<KeyReport> keys = TakenKeys.read(connection.inspector()).stream().map(KeyReport::of).toList();
		printer.print(keys);
		return shown(printer, keys.isEmpty());
	}

}
