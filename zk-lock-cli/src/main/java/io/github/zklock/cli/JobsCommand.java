package io.github.zklock.cli;

import java.util.List;

import picocli.CommandLine.Command;

/**
 * Shows when jobs ran last.
 */
@Command(name = "jobs", description = "Shows the last run of each job that runs once for each firing.")
final class JobsCommand extends LockCommand {

	@Override
	int run(LockConnection connection, Printer printer) {
		List<JobReport> jobs = connection.inspector().jobs().stream().map(JobReport::of).toList();
		printer.printJobs(jobs);
		return shown(printer, jobs.isEmpty());
	}

}
