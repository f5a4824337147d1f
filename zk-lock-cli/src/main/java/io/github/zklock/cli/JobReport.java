package io.github.zklock.cli;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.github.zklock.inspect.JobRun;

/**
 * The last run of a job, with the names that the endpoint of applications has.
 *
 * @param key the job's key
 * @param run how many runs there were
 * @param started when it was started, by the clock of the servers, as text of ISO 8601
 * @param withinMillis for how long it is not started again
 * @param tookMillis how long it took; null if its end is not known
 * @param outcome how it ended
 * @param instance the instance that ran it
 * @param host its host
 * @param pid its process
 */
record JobReport(String key, long run, String started, long withinMillis, @Nullable Long tookMillis, String outcome,
		@Nullable String instance, @Nullable String host, @Nullable String pid) {

	static JobReport of(JobRun run) {
		Duration took = run.took();
		return new JobReport(run.key(), run.number(), run.started().toString(), run.within().toMillis(),
				(took != null) ? took.toMillis() : null, run.outcome(), run.instance(), run.host(), run.pid());
	}

	/**
	 * Says it for people.
	 * @return one line of text
	 */
	String text() {
		String time = (this.tookMillis != null) ? " after " + this.tookMillis + " ms" : "";
		return "%s: run %s at %s by %s (host %s, pid %s): %s%s".formatted(this.key, this.run, this.started,
				this.instance, this.host, this.pid, this.outcome, time);
	}

}
