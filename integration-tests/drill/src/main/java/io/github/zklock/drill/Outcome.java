package io.github.zklock.drill;

/**
 * How an order ended.
 */
enum Outcome {

	/** Tickets were sold. */
	SOLD,

	/** Too few tickets were left. */
	SOLD_OUT,

	/** Others held the lock all the time. */
	BUSY,

	/** ZooKeeper gave no answer. */
	UNAVAILABLE,

	/** The database refused a former holder of the lock. */
	LATE,

	/** The lock was lost; whether tickets were sold is not known. */
	LOST,

	/** There was no answer; whether tickets were sold is not known. */
	UNANSWERED,

	/** Something that should not happen. */
	FAILED;

	private static final String TYPES = "urn:zk-lock:";

	private static final String TYPES_OF_THE_SHOP = TYPES + "sample:";

	/**
	 * Reads what was answered instead of a receipt.
	 * @param problemType the type of the problem details
	 * @return the outcome
	 */
	static Outcome of(String problemType) {
		return switch (problemType) {
			case TYPES_OF_THE_SHOP + "sold-out" -> SOLD_OUT;
			case TYPES + "busy" -> BUSY;
			case TYPES + "unavailable" -> UNAVAILABLE;
			case TYPES_OF_THE_SHOP + "late" -> LATE;
			case TYPES + "lost" -> LOST;
			default -> FAILED;
		};
	}

}
