package io.github.zklock.faults;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;

/**
 * What happened, from the logs of all who took part.
 *
 * @param sections the sections that were entered, one for each key
 * @param failures the calls that ended without a lock
 * @param overdue the calls that ended with a lock after their time
 * @param accepted whose writes the stores accepted, in the stores' order
 * @param refused whose writes the stores refused
 * @param notes everything else
 */
record History(List<HoldRecord> sections, List<Call> failures, List<Call> overdue, List<StoreWrite> accepted,
		List<StoreWrite> refused, List<String> notes) {

	/**
	 * Reads logs.
	 * @param logs the files
	 * @return what they tell together
	 */
	static History read(List<Path> logs) {
		return new Reader().read(logs);
	}

	private void add(String[] fields, Map<String, HoldRecord> known) {
		switch (fields[0]) {
			case "ENTER" -> {
				long since = Long.parseLong(fields[5]);
				known.put(fields[1] + " " + fields[2], new HoldRecord(fields[1], fields[2], LockMode.valueOf(fields[3]),
						Long.parseLong(fields[4]), since, since, HoldRecord.NEVER, HoldRecord.NEVER));
			}
			case "DOWNGRADE" -> known.computeIfPresent(fields[1] + " " + fields[2],
					(section, entered) -> entered.downgradedAt(Long.parseLong(fields[3])));
			case "LEAVE" -> known.computeIfPresent(fields[1] + " " + fields[2],
					(section, entered) -> entered.left(Long.parseLong(fields[3]), Long.parseLong(fields[4])));
			case "FAIL" -> this.failures.add(call(fields));
			case "OVERDUE" -> this.overdue.add(call(fields));
			case "ACCEPTED" -> this.accepted.add(new StoreWrite(fields[1], fields[2], Long.parseLong(fields[3])));
			case "REFUSED" -> this.refused.add(new StoreWrite(fields[1], fields[2], Long.parseLong(fields[3])));
			default -> this.notes.add(String.join(" ", fields));
		}
	}

	private static Call call(String[] fields) {
		return new Call(fields[1], fields[2], Long.parseLong(fields[3]), Long.parseLong(fields[4]));
	}

	/**
	 * Counts the sections that somebody entered.
	 * @param name the beginning of the name
	 * @return how many there are
	 */
	long entered(String name) {
		return this.sections.stream().filter((section) -> section.who().startsWith(name)).count();
	}

	/**
	 * Counts the rounds in which each lock client entered.
	 * @return how many there are, by the client's name
	 */
	Map<String, Long> enteredByClient() {
		return this.sections.stream()
			.map(HoldRecord::who)
			.distinct()
			.collect(Collectors.groupingBy((who) -> who.substring(0, who.lastIndexOf('-')), Collectors.counting()));
	}

	/**
	 * Counts the rounds in which several keys were entered at once.
	 * @return how many there are
	 */
	long enteredTogether() {
		return this.sections.size() - this.sections.stream().map(HoldRecord::who).distinct().count();
	}

	/**
	 * Returns what was noted under a word.
	 * @param word the first word of the note
	 * @return the notes, each with its word
	 */
	List<String> notes(String word) {
		return this.notes.stream().filter((note) -> note.startsWith(word + " ")).toList();
	}

	/**
	 * A call that ended without a lock, or after its time.
	 *
	 * @param who the process, the worker and the round
	 * @param kind the simple name of the exception, or of what was granted
	 * @param timeoutNanos what the call was allowed to take; {@link Long#MAX_VALUE} for
	 * ever
	 * @param tookNanos what it took
	 */
	record Call(String who, String kind, long timeoutNanos, long tookNanos) {

		long lateNanos() {
			return this.tookNanos - this.timeoutNanos;
		}

	}

	/**
	 * A write to the fenced store.
	 *
	 * @param who the process, the worker and the round
	 * @param key the key
	 * @param token the token
	 */
	record StoreWrite(String who, String key, long token) {
	}

	/** Reads logs that grow, each time only what was appended. */
	static final class Reader {

		// Where in each log the first line begins that was not read yet
		private final Map<Path, Long> positions = new HashMap<>();

		private final Map<String, HoldRecord> sections = new LinkedHashMap<>();

		private final History rest = new History(List.of(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>(),
				new ArrayList<>(), new ArrayList<>());

		/**
		 * Reads on.
		 * @param logs the files
		 * @return what they tell together, from their beginnings
		 */
		History read(List<Path> logs) {
			logs.forEach(this::read);
			return new History(List.copyOf(this.sections.values()), this.rest.failures, this.rest.overdue,
					this.rest.accepted, this.rest.refused, this.rest.notes);
		}

		private void read(Path log) {
			long position = this.positions.getOrDefault(log, 0L);
			try (InputStream in = Files.newInputStream(log)) {
				in.skipNBytes(position);
				byte[] appended = in.readAllBytes();
				int end = appended.length;
				// What is behind the last end of a line is still being written
				while (end > 0 && appended[end - 1] != '\n') {
					end--;
				}
				new String(appended, 0, end, StandardCharsets.UTF_8).lines()
					.forEach((line) -> this.rest.add(line.split("\t"), this.sections));
				this.positions.put(log, position + end);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

	/** Writes a log, line by line, so that nothing is lost when its process is killed. */
	static final class Log implements AutoCloseable {

		private final FileOutputStream out;

		Log(Path file) {
			try {
				this.out = new FileOutputStream(file.toFile(), true);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		void entered(String who, String key, LockMode mode, long token, long since) {
			line("ENTER", who, key, mode, token, since);
		}

		void downgraded(String who, String key, long since) {
			line("DOWNGRADE", who, key, since);
		}

		void left(String who, String key, long lastTrue, long notified) {
			line("LEAVE", who, key, lastTrue, notified);
		}

		void failed(String who, Throwable cause, long timeoutNanos, long tookNanos) {
			line("FAIL", who, cause.getClass().getSimpleName(), timeoutNanos, tookNanos);
		}

		void granted(String who, LockHandle handle, long timeoutNanos, long tookNanos) {
			if (tookNanos > timeoutNanos) {
				line("OVERDUE", who, handle.mode(), timeoutNanos, tookNanos);
			}
		}

		void note(Object... fields) {
			line(fields);
		}

		private void line(Object... fields) {
			StringBuilder line = new StringBuilder();
			for (Object field : fields) {
				line.append((line.length() == 0) ? "" : "\t").append(field);
			}
			try {
				this.out.write(line.append('\n').toString().getBytes(StandardCharsets.UTF_8));
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		@Override
		public void close() {
			try {
				this.out.close();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
