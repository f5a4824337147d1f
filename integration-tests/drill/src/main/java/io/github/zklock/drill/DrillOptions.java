package io.github.zklock.drill;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/**
 * What is to be done.
 */
final class DrillOptions {

	private static final int MAX_TICKETS = 10_000;

	private static final int MAX_CLIENTS = 50;

	@Spec(Target.MIXEE)
	private @Nullable CommandSpec command;

	@Option(names = "--kill-leader", description = "kill the leader (kill -9) after a third of the sales")
	private boolean killLeader;

	private int tickets = 300;

	private int clients = 6;

	@Option(names = "--postgres", description = "share a PostgreSQL database instead of H2 (needs Debian's postgresql)")
	private boolean postgreSql;

	@Option(names = "--capacity", description = "sell nothing, but measure how many locks the three servers carry")
	private boolean capacity;

	@Option(names = "--help", usageHelp = true, description = "this text")
	boolean help;

	@Option(names = "--tickets", paramLabel = "N",
			description = "how many tickets there are, 1 to 10000; 300 unless given")
	void tickets(int number) {
		this.tickets = check("--tickets", number, MAX_TICKETS);
	}

	@Option(names = "--clients", paramLabel = "N", description = "how many clients buy, 1 to 50; 6 unless given")
	void clients(int number) {
		this.clients = check("--clients", number, MAX_CLIENTS);
	}

	private int check(String option, int number, int max) {
		if (number < 1 || number > max) {
			CommandSpec spec = this.command;
			throw new ParameterException((spec != null) ? spec.commandLine() : new CommandLine(this),
					"%s needs a number from 1 to %d".formatted(option, max));
		}
		return number;
	}

	int tickets() {
		return this.tickets;
	}

	int clients() {
		return this.clients;
	}

	boolean killLeader() {
		return this.killLeader;
	}

	boolean postgreSql() {
		return this.postgreSql;
	}

	boolean capacity() {
		return this.capacity;
	}

}
