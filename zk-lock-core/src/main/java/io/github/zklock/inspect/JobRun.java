package io.github.zklock.inspect;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The last run of a job, as its mark says.
 *
 * @param key the job's key; one that takes more than 1,800 bytes in JSON, as other text
 * than ASCII may, is cut and ends with dots
 * @param number how many runs there were, with this one; they are counted anew when the
 * mark was removed
 * @param id unique for each run
 * @param started when it was started, by the clock of the servers' leader
 * @param within for how long it was not to be started again
 * @param took how long it took; null if its end is not known: it still runs, or its
 * instance has died
 * @param outcome how it ended: {@code running}, {@code ok}, {@code ended} if nobody says
 * how, {@code failed:} with the exception's type, or "lost" if its lock was
 * @param instance the instance of the application that ran it; null if not known
 * @param host its host; null if not known
 * @param pid its process; null if not known
 * @since 0.1.0
 */
public record JobRun(String key, long number, String id, Instant started, Duration within, @Nullable Duration took,
		String outcome, @Nullable String instance, @Nullable String host, @Nullable String pid) {

	/** The outcome of a run whose end is not known. */
	public static final String RUNNING = "running";

	/**
	 * Reads what a mark says.
	 * @param description the mark's data as text
	 * @return the run, or null if there was none, or nobody of this kind wrote it
	 */
	public static @Nullable JobRun parse(@Nullable String description) {
		if (description == null) {
			return null;
		}
		Map<String, String> fields = FlatJson.read(description);
		String key = fields.get("key");
		String id = fields.get("id");
		if (key == null || id == null) {
			return null;
		}
		try {
			String took = fields.get("took");
			return new JobRun(key, Long.parseLong(fields.getOrDefault("run", "1")), id,
					Instant.ofEpochMilli(Long.parseLong(fields.getOrDefault("started", ""))),
					Duration.ofMillis(Long.parseLong(fields.getOrDefault("within", "0"))),
					(took != null) ? Duration.ofMillis(Long.parseLong(took)) : null,
					fields.getOrDefault("outcome", RUNNING), fields.get("instance"), fields.get("host"),
					fields.get("pid"));
		}
		catch (NumberFormatException ex) {
			return null;
		}
	}

	/**
	 * Returns whether its end is known.
	 * @return false if it still runs, or its instance has died
	 */
	public boolean isOver() {
		return this.took != null;
	}

}
