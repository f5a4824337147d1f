package io.github.zklock.cli;

import java.io.PrintWriter;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import io.github.zklock.LockException;
import io.github.zklock.inspect.LockInspector.Caller;
import io.github.zklock.inspect.LockInspector.Deadlock;
import io.github.zklock.inspect.LockInspector.Wait;
import io.github.zklock.inspect.LockInspector.Waits;

/**
 * Prints what was found, as text for people or as one line of JSON.
 */
final class Printer {

	private static final JsonMapper JSON = JsonMapper.builder().build();

	private static final Pattern CONTROL = Pattern.compile("[\\x7f-\\x9f]");

	private final PrintWriter out;

	private final boolean json;

	Printer(PrintWriter out, boolean json) {
		this.out = out;
		this.json = json;
	}

	/**
	 * Returns whether nobody reads what is printed any more.
	 * @return whether printing has failed
	 */
	boolean isBroken() {
		return this.out.checkError();
	}

	private void line(String text) {
		// It could command a terminal: other clients wrote the keys and names
		this.out.println(LockException.printable(text));
		this.out.flush();
	}

	private void json(Object value) {
		this.out.println(escaped(JSON.writeValueAsString(value)));
		this.out.flush();
	}

	// Jackson writes those above 0x7e as they are
	private static String escaped(String json) {
		return CONTROL.matcher(json).replaceAll((found) -> "\\\\u%04x".formatted((int) found.group().charAt(0)));
	}

	/**
	 * Prints one fact.
	 * @param text for people
	 * @param value for programs
	 */
	void print(String text, Object value) {
		either(value, () -> line(text));
	}

	void print(KeyReport key) {
		either(key, () -> {
			line(key.key());
			key.permitsText().ifPresent((text) -> line("  " + text));
			key.holders().forEach((holder) -> line("  holds  " + text(holder)));
			key.queue().forEach((waiter) -> line("  waits  " + text(waiter)));
			if (key.holders().isEmpty() && key.queue().isEmpty()) {
				line("  is free");
			}
		});
	}

	void print(List<KeyReport> keys) {
		either(keys, () -> keys.forEach(this::print));
	}

	void printJobs(List<JobReport> jobs) {
		either(jobs, () -> jobs.forEach((job) -> line(job.text())));
	}

	void print(Waits waits) {
		either(waits, () -> {
			waits.waits().forEach((wait) -> line(text(wait)));
			waits.deadlocks().forEach(this::print);
		});
	}

	private void either(Object value, Runnable asText) {
		if (this.json) {
			json(value);
		}
		else {
			asText.run();
		}
	}

	private void print(Deadlock deadlock) {
		line(deadlock.sameCallers() ? "Deadlock: these wait for each other"
				: "Perhaps a deadlock: these instances wait for each other, their threads may not");
		deadlock.circle().forEach((wait) -> line("  " + text(wait)));
	}

	private static String text(Wait wait) {
		return "%s waits for '%s' because of %s".formatted(text(wait.waiter()), wait.key(), text(wait.blocker()));
	}

	private static String text(Caller caller) {
		if (caller.instance() == null) {
			return Objects.requireNonNullElse(caller.caller(), caller.client());
		}
		return who(caller.instance(), caller.host(), caller.pid(), caller.caller());
	}

	/**
	 * Says who a contender is and since when.
	 * @param contender the contender
	 * @return one line of text
	 */
	static String text(ContenderReport contender) {
		String who = (contender.instance() != null)
				? who(contender.instance(), contender.host(), contender.pid(), contender.thread()) + " since "
						+ contender.since()
				: "another kind of client";
		String what = (contender.permits() != null) ? "one of %s permits".formatted(contender.permits())
				: contender.mode().name();
		return "%s, %s, token %s, %s".formatted(who, what, contender.token(), contender.node());
	}

	private static String who(String instance, @Nullable String host, @Nullable String pid, @Nullable String thread) {
		return "%s (host %s, pid %s, thread %s)".formatted(instance, host, pid, thread);
	}

}
