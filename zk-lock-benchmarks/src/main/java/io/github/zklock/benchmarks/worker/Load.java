package io.github.zklock.benchmarks.worker;

/**
 * What every thread of a workload does, again and again.
 *
 * @param keys which keys it wants
 * @param rotation how many own keys it wants in turn
 * @param atOnce how many keys it wants at once
 * @param readPercent how often it wants to read; zero for exclusive locks, not read/write
 * locks
 * @param use what is wanted of them
 * @param permits how many may hold a key at a time; zero for locks
 * @param sectionMicros how long it holds, doing nothing
 * @param thinkMicros how long it does nothing on average before it locks; the times are
 * distributed exponentially
 */
public record Load(KeyChoice keys, int rotation, int atOnce, int readPercent, Use use, int permits, int sectionMicros,
		int thinkMicros) {

	/** The most keys that one thread may have. */
	static final int MAX_KEYS = 16;

	/**
	 * Checks the numbers.
	 */
	public Load {
		if (rotation < 1 || atOnce < 1 || rotation * atOnce > MAX_KEYS || readPercent < 0 || readPercent > 99
				|| permits < 0 || permits > 0 != (use == Use.PERMIT) || (use == Use.READ_AND_WRITE && atOnce != 2)
				|| (use != Use.LOCK && (readPercent > 0 || (atOnce > 1 && use != Use.READ_AND_WRITE)))) {
			throw new IllegalArgumentException("Not a load: " + use + " " + keys + " " + rotation + " " + atOnce + " "
					+ readPercent + " " + permits);
		}
	}

	/**
	 * Makes an exclusive load of one key at a time.
	 * @param keys which keys
	 * @return the load, with empty sections
	 */
	public static Load of(KeyChoice keys) {
		return new Load(keys, 1, 1, 0, Use.LOCK, 0, 0, 0);
	}

	/**
	 * Changes how many own keys each thread has.
	 * @param rotation how many
	 * @return a changed copy
	 */
	public Load inTurn(int rotation) {
		return new Load(this.keys, rotation, this.atOnce, this.readPercent, this.use, this.permits, this.sectionMicros,
				this.thinkMicros);
	}

	/**
	 * Changes how many keys are wanted at once.
	 * @param atOnce how many
	 * @return a changed copy
	 */
	public Load atOnce(int atOnce) {
		return new Load(this.keys, this.rotation, atOnce, this.readPercent, this.use, this.permits, this.sectionMicros,
				this.thinkMicros);
	}

	/**
	 * Makes each hold for a time.
	 * @param sectionMicros how long
	 * @return a changed copy
	 */
	public Load held(int sectionMicros) {
		return new Load(this.keys, this.rotation, this.atOnce, this.readPercent, this.use, this.permits, sectionMicros,
				this.thinkMicros);
	}

	/**
	 * Makes readers and writers of it.
	 * @param readPercent how many of a hundred read
	 * @param sectionMicros how long each holds
	 * @return a changed copy
	 */
	public Load reading(int readPercent, int sectionMicros) {
		return new Load(this.keys, this.rotation, this.atOnce, readPercent, this.use, this.permits, sectionMicros,
				this.thinkMicros);
	}

	/**
	 * Lets some hold a key at a time.
	 * @param permits how many
	 * @return a changed copy
	 */
	public Load permits(int permits) {
		return new Load(this.keys, this.rotation, this.atOnce, this.readPercent, Use.PERMIT, permits,
				this.sectionMicros, this.thinkMicros);
	}

	/**
	 * Changes what is wanted of the keys.
	 * @param use what, without numbers of its own
	 * @return a changed copy
	 */
	public Load wanting(Use use) {
		return new Load(this.keys, this.rotation, (use == Use.READ_AND_WRITE) ? 2 : 1, this.readPercent, use,
				this.permits, this.sectionMicros, this.thinkMicros);
	}

	/**
	 * Makes each do nothing before it locks.
	 * @param thinkMicros for how long, on average
	 * @return a changed copy
	 */
	public Load thinking(int thinkMicros) {
		return new Load(this.keys, this.rotation, this.atOnce, this.readPercent, this.use, this.permits,
				this.sectionMicros, thinkMicros);
	}

	String text() {
		return "%s:%d:%d:%d:%s:%d:%d:%d".formatted(this.keys, this.rotation, this.atOnce, this.readPercent, this.use,
				this.permits, this.sectionMicros, this.thinkMicros);
	}

	static Load parse(String text) {
		String[] parts = text.split(":", -1);
		return new Load(KeyChoice.valueOf(parts[0]), Integer.parseInt(parts[1]), Integer.parseInt(parts[2]),
				Integer.parseInt(parts[3]), Use.valueOf(parts[4]), Integer.parseInt(parts[5]),
				Integer.parseInt(parts[6]), Integer.parseInt(parts[7]));
	}

}
