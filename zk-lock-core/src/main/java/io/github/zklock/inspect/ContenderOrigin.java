package io.github.zklock.inspect;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockException;

/**
 * Where a contender comes from, as its node says. What another client wrote there is
 * taken as it is, except that control characters are replaced and long texts are cut.
 *
 * @param id the contender's own id
 * @param application the application
 * @param instance the instance of the application
 * @param host the host
 * @param pid the process
 * @param thread the thread that asked first
 * @param since when it entered, by the clock of its host, as text of ISO 8601
 * @since 0.1.0
 */
public record ContenderOrigin(String id, @Nullable String application, @Nullable String instance, @Nullable String host,
		@Nullable String pid, @Nullable String thread, @Nullable String since) {

	/** What milliseconds can say. */
	private static final Duration LONGEST_AGE = Duration.ofMillis(Long.MAX_VALUE);

	private static final int MAX_FIELD = 1024;

	private static final int CLIENT_LENGTH = 19;

	/** What every node has that a lock client of this kind makes. */
	private static final List<String> ALWAYS = List.of("id", "application", "instance", "host", "pid");

	private static final Pattern PID = Pattern.compile("[0-9]{1,19}");

	private static final Pattern MICROS = Pattern.compile("[0-9]{1,9}");

	/**
	 * Reads what a node says.
	 * @param description the node's data as text
	 * @return where its contender comes from, or null if no lock client of this kind made
	 * it: then it lacks its id, application, instance, host or process
	 */
	public static @Nullable ContenderOrigin parse(@Nullable String description) {
		if (description == null) {
			return null;
		}
		Map<String, String> fields = FlatJson.read(description);
		if (!fields.keySet().containsAll(ALWAYS) || !PID.matcher(fields.get("pid")).matches()) {
			return null;
		}
		return new ContenderOrigin(Objects.requireNonNull(clean(fields.get("id"))), clean(fields.get("application")),
				clean(fields.get("instance")), clean(fields.get("host")), clean(fields.get("pid")),
				clean(fields.get("thread")), clean(fields.get("since")));
	}

	/**
	 * Returns whether a node says that its lock may be kept for a time although nobody
	 * holds it, until another contender comes.
	 * @param description the node's data as text
	 * @return false also if the node does not say so
	 */
	public static boolean mayBeRetained(@Nullable String description) {
		return "true".equals(field(description, "retain"));
	}

	/**
	 * Returns whether the node of a permit says that it is held. One that was held from
	 * its first moment does not.
	 * @param description the node's data as text
	 * @return false also if the node does not say so
	 */
	public static boolean holdsPermit(@Nullable String description) {
		return "true".equals(field(description, "held"));
	}

	/**
	 * Returns how long the servers took to answer a write of the node's client, on
	 * average, when it made the node.
	 * @param description the node's data as text
	 * @return in microseconds; null if the node does not say so
	 */
	public static @Nullable Integer writeMicros(@Nullable String description) {
		String micros = field(description, "writeMicros");
		return (micros != null && MICROS.matcher(micros).matches()) ? Integer.valueOf(micros) : null;
	}

	/**
	 * Returns what the ids of all contenders of one lock client begin with.
	 * @param id a contender's id
	 * @return the first three groups of a UUID's text; the whole id if it has no more
	 */
	public static String clientIn(String id) {
		return (id.length() > CLIENT_LENGTH) ? id.substring(0, CLIENT_LENGTH) : id;
	}

	private static @Nullable String field(@Nullable String description, String name) {
		return (description != null) ? FlatJson.read(description).get(name) : null;
	}

	static @Nullable String clean(@Nullable String text) {
		if (text == null) {
			return null;
		}
		String cut = (text.length() <= MAX_FIELD) ? text : text.substring(0, MAX_FIELD) + "...";
		return LockException.printable(cut);
	}

	/**
	 * Returns for how long it has been there. The clocks of two hosts may differ.
	 * @param now the time by the clock of this host
	 * @return how long, not negative; null if its node does not say since when, or a
	 * moment so long ago that milliseconds cannot say it
	 */
	public @Nullable Duration age(Instant now) {
		if (this.since == null) {
			return null;
		}
		try {
			Duration age = Duration.between(Instant.parse(this.since), now);
			if (age.compareTo(LONGEST_AGE) > 0) {
				return null;
			}
			return age.isNegative() ? Duration.ZERO : age;
		}
		catch (DateTimeParseException ex) {
			return null;
		}
	}

	/**
	 * Says in a few words who it is.
	 * @return for example {@code billing-2 (host b2, pid 311, thread main)}
	 */
	public String who() {
		String caller = (this.thread != null) ? ", thread " + this.thread : "";
		return this.instance + " (host " + this.host + ", pid " + this.pid + caller + ")";
	}

}
