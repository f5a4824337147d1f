package io.github.zklock.benchmarks.peer;

import java.time.Duration;

import io.github.zklock.Handoff;

/**
 * Who is compared.
 */
public enum Contestant {

	/** Our lock with the fair strategy, and all else as by default. */
	SEQUENTIAL("zk-lock sequential"),

	/** Our lock as another build has it, and all else as by default. */
	OTHER_BUILD("zk-lock sequential, the other build"),

	/** Our lock without handoffs: each holder has a node of its own. */
	STRICT("zk-lock sequential, max-count=0"),

	/** Our lock with the simple strategy, and all else as by default. */
	NAIVE("zk-lock naive"),

	/** Our lock, kept for a minute while nobody else wants it. */
	RETAINED("zk-lock sequential, retain on"),

	/** One mutex object for each key, used by all threads. */
	CURATOR_SHARED("Curator mutex, shared object"),

	/** A new mutex object for each call. */
	CURATOR_PER_CALL("Curator mutex, one per call"),

	/** One read/write lock object for each key, used by all threads. */
	CURATOR_READ_WRITE_SHARED("Curator read/write lock, shared object"),

	/** A new read/write lock object for each call. */
	CURATOR_READ_WRITE_PER_CALL("Curator read/write lock, one per call"),

	/** A multi-lock of mutexes. */
	CURATOR_MULTI("Curator multi-lock"),

	/** One semaphore object for each key, used by all threads. */
	CURATOR_SEMAPHORE("Curator semaphore (V2)"),

	/** Spring Integration's registry. */
	SPRING_INTEGRATION("Spring Integration ZookeeperLockRegistry"),

	/** Redisson on a Redis that is as durable as ZooKeeper. */
	REDISSON_ALWAYS("Redisson, appendfsync always"),

	/** Redisson on a Redis that may forget a second's locks. */
	REDISSON_EVERYSEC("Redisson, appendfsync everysec"),

	/**
	 * The least that a lock costs which others see and which is two requests. It does not
	 * wait for others.
	 */
	LIMIT("limit: create, unawaited delete"),

	/** The JDK's fair lock, which other processes do not see. */
	FAIR_LOCK("fair ReentrantLock"),

	/** No lock: must be found out. */
	NONE("no lock");

	private static final Duration RETAIN = Duration.ofMinutes(1);

	/**
	 * A key passes to another process after two locks, or after the readers of a moment.
	 */
	private static final Handoff BRIEF = new Handoff(1, Duration.ofMillis(1), Duration.ZERO);

	private final String title;

	Contestant(String title) {
		this.title = title;
	}

	/**
	 * Names it for people.
	 * @return its name in tables
	 */
	public String title() {
		return this.title;
	}

	/**
	 * Connects it.
	 * @param at where its servers are
	 * @return the library, connected
	 */
	public Peer open(Connection at) {
		return open(at, Handoff.DEFAULT);
	}

	/**
	 * Connects it, with tenures that are as brief as can be.
	 * @param at where its servers are
	 * @return the library, connected, which hands off, but no key for long
	 */
	public Peer openWithBriefTenures(Connection at) {
		return open(at, BRIEF);
	}

	private Peer open(Connection at, Handoff bounds) {
		return switch (this) {
			case SEQUENTIAL, OTHER_BUILD -> new ZkLockPeer(at, "sequential", bounds);
			case STRICT -> new ZkLockPeer(at, "sequential", new Handoff(0, Duration.ZERO, Duration.ZERO));
			case NAIVE -> new ZkLockPeer(at, "naive", bounds);
			case RETAINED ->
				new ZkLockPeer(at, "sequential", new Handoff(bounds.maxCount(), bounds.maxDuration(), RETAIN));
			case CURATOR_SHARED, CURATOR_SEMAPHORE -> CuratorPeer.sharedMutex(at);
			case CURATOR_PER_CALL -> CuratorPeer.mutexPerCall(at);
			case CURATOR_READ_WRITE_SHARED -> CuratorPeer.sharedReadWriteLock(at);
			case CURATOR_READ_WRITE_PER_CALL -> CuratorPeer.readWriteLockPerCall(at);
			case CURATOR_MULTI -> CuratorPeer.multiLock(at);
			case SPRING_INTEGRATION -> new SpringIntegrationPeer(at);
			case REDISSON_ALWAYS, REDISSON_EVERYSEC -> new RedissonPeer(at);
			case LIMIT -> new LimitPeer(at);
			case FAIR_LOCK -> new FairLockPeer();
			case NONE -> new NoLockPeer();
		};
	}

	/**
	 * Returns whether its servers are Redis servers.
	 * @return whether they are
	 */
	public boolean usesRedis() {
		return this == REDISSON_ALWAYS || this == REDISSON_EVERYSEC;
	}

	/**
	 * Returns whether it is one of Curator's recipes, which the goals compare with.
	 * @return whether it is
	 */
	public boolean isCurator() {
		return name().startsWith("CURATOR");
	}

	/**
	 * Returns whether a process keeps a key for itself although others want it.
	 * @return whether it hands keys off
	 */
	public boolean handsOff() {
		return this == OTHER_BUILD || (isOurs() && this != STRICT);
	}

	/**
	 * Returns whether it is ours, of this build.
	 * @return whether it is
	 */
	public boolean isOurs() {
		return this == SEQUENTIAL || this == STRICT || this == NAIVE || this == RETAINED;
	}

}
