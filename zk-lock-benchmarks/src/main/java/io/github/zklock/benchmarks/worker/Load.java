package io.github.zklock.benchmarks.worker;

/**
 * What every thread of a workload does, again and again.
 *
 * @param keys which keys it wants
 * @param rotation how many own keys it wants in turn
 * @param atOnce how many keys it wants at once
 * @param readPercent how often it wants to read; zero for exclusive locks, not read/write
 * locks
 * @param sectionMicros how long it holds, doing nothing
 * @param thinkMicros how long it does nothing on average before it locks; the times are
 * distributed exponentially
 */
public record Load(KeyChoice keys, int rotation, int atOnce, int readPercent, int sectionMicros, int thinkMicros) {

	/** The most keys that one thread may have. */
	static final int MAX_KEYS = 16;

	/**
	 * Checks the numbers.
	 */
	public Load {
		if (rotation < 1 || atOnce < 1 || rotation * atOnce > MAX_KEYS || readPercent < 0 || readPercent > 99) {
			throw new IllegalArgumentException(
					"Not a load: " + keys + " " + rotation + " " + atOnce + " " + readPercent);
		}
	}

	/**
	 * Makes an exclusive load of one key at a time.
	 * @param keys which keys
	 * @return the load, with empty sections
	 */
	public static Load of(KeyChoice keys) {
		return new Load(keys, 1, 1, 0, 0, 0);
	}

	/**
	 * Changes how many own keys each thread has.
	 * @param rotation how many
	 * @return a changed copy
	 */
	public Load inTurn(int rotation) {
		return new Load(this.keys, rotation, this.atOnce, this.readPercent, this.sectionMicros, this.thinkMicros);
	}

	/**
	 * Changes how many keys are wanted at once.
	 * @param atOnce how many
	 * @return a changed copy
	 */
	public Load atOnce(int atOnce) {
		return new Load(this.keys, this.rotation, atOnce, this.readPercent, this.sectionMicros, this.thinkMicros);
	}

	/**
	 * Makes each hold for a time.
	 * @param sectionMicros how long
	 * @return a changed copy
	 */
	public Load held(int sectionMicros) {
		return new Load(this.keys, this.rotation, this.atOnce, this.readPercent, sectionMicros, this.thinkMicros);
	}

	/**
	 * Makes readers and writers of it.
	 * @param readPercent how many of a hundred read
	 * @param sectionMicros how long each holds
	 * @return a changed copy
	 */
	public Load reading(int readPercent, int sectionMicros) {
		return new Load(this.keys, this.rotation, this.atOnce, readPercent, sectionMicros, this.thinkMicros);
	}

	/**
	 * Makes each do nothing before it locks.
	 * @param thinkMicros for how long, on average
	 * @return a changed copy
	 */
	public Load thinking(int thinkMicros) {
		return new Load(this.keys, this.rotation, this.atOnce, this.readPercent, this.sectionMicros, thinkMicros);
	}

	String text() {
		return "%s:%d:%d:%d:%d:%d".formatted(this.keys, this.rotation, this.atOnce, this.readPercent,
				this.sectionMicros, this.thinkMicros);
	}

	static Load parse(String text) {
		String[] parts = text.split(":", -1);
		return new Load(KeyChoice.valueOf(parts[0]), Integer.parseInt(parts[1]), Integer.parseInt(parts[2]),
				Integer.parseInt(parts[3]), Integer.parseInt(parts[4]), Integer.parseInt(parts[5]));
	}

}
