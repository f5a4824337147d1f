package io.github.zklock.sample.docs;

import org.springframework.scheduling.annotation.Scheduled;

import io.github.zklock.DistributedLock;
import io.github.zklock.OnBusy;

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
	@DistributedLock(timeout = "0", onBusy = OnBusy.SKIP)
	public void run() {
		this.work.run();
	}
	// end::job[]

}
