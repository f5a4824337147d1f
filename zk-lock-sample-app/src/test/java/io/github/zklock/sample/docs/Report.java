package io.github.zklock.sample.docs;

import org.springframework.scheduling.annotation.Scheduled;

import io.github.zklock.ClusterJob;

/**
 * A job that all instances start, and one runs.
 */
class Report {

	private final Runnable work;

	Report(Runnable work) {
		this.work = work;
	}

	// tag::job[]
	@Scheduled(cron = "${report.cron}")
	@ClusterJob
	public void run() {
		this.work.run();
	}
	// end::job[]

}
