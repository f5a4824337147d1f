package io.github.zklock.internal.node;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockMode;
import io.github.zklock.WaitingCaller;
import io.github.zklock.inspect.ContenderOrigin;
import io.github.zklock.inspect.LockInspector;

/**
 * Who we are in ZooKeeper: the client's id, which is half of every contender's id, and
 * what our nodes say of us.
 */
public final class ClientIdentity {

	/** How long the data of most nodes is. */
	private static final int CONTENT = 320;

	private static final int ID_LENGTH = 36;

	private static final int MOST_MICROS = 999_999_999;

	private final long clientId = UUID.randomUUID().getMostSignificantBits();

	private final AtomicLong contenders = new AtomicLong();

	private final String idPrefix = ContenderOrigin.clientIn(new UUID(this.clientId, 0).toString());

	private final String instance;

	private final String host;

	private final long pid;

	private final InstantSource wallClock;

	// What the data of all our nodes say
	private final String origin;

	/**
	 * Creates the identity of a new client.
	 * @param application the application's name
	 * @param instance the instance's name
	 * @param host the host's name
	 * @param pid the process's id
	 * @param wallClock says since when, for people; nothing is decided by it
	 */
	public ClientIdentity(String application, String instance, String host, long pid, InstantSource wallClock) {
		this.instance = instance;
		this.host = host;
		this.pid = pid;
		this.wallClock = wallClock;
		StringBuilder json = new StringBuilder();
		NodeContent.append(json, "application", application);
		NodeContent.append(json, "instance", instance);
		NodeContent.append(json, "host", host);
		NodeContent.append(json, "pid", Long.toString(pid));
		this.origin = json.substring(1);
	}

	public String instance() {
		return this.instance;
	}

	public String host() {
		return this.host;
	}

	public long pid() {
		return this.pid;
	}

	public InstantSource wallClock() {
		return this.wallClock;
	}

	/**
	 * Describes us among those who hold or wait.
	 * @return names no thread
	 */
	public LockInspector.Caller asCaller() {
		return new LockInspector.Caller(this.idPrefix, this.instance, this.host, Long.toString(this.pid), null, true);
	}

	/**
	 * Describes one of our callers to a holder for whom it waits.
	 * @param key the key
	 * @param mode how it wants the key
	 * @param thread the thread that asked
	 * @param waited for how long it has waited
	 * @return the description
	 */
	public WaitingCaller asWaiter(String key, LockMode mode, String thread, Duration waited) {
		return new WaitingCaller(key, mode, this.instance, this.host, Long.toString(this.pid), thread, waited, null);
	}

	/**
	 * Returns an id for a new contender.
	 * @return a UUID's text, unique in the ensemble
	 */
	public String nextId() {
		return new UUID(this.clientId, this.contenders.incrementAndGet()).toString();
	}

	/**
	 * Returns what the ids of all contenders of this client begin with.
	 * @return the first three groups of a UUID's text
	 */
	public String idPrefix() {
		return this.idPrefix;
	}

	public boolean isOurs(@Nullable String id) {
		return id != null && id.startsWith(this.idPrefix);
	}

	/**
	 * Returns the client's part of a node's name.
	 * @param name the node's name
	 * @return what the ids of all contenders of that client begin with; null if it is no
	 * client of this kind
	 */
	public static @Nullable String clientIn(String name) {
		if (!name.startsWith(LockNodeName.PROTECTED) || name.length() <= LockNodeName.PROTECTED.length() + ID_LENGTH) {
			return null;
		}
		String id = contenderIn(name);
		String client = ContenderOrigin.clientIn(id);
		// In a random id another digit follows
		return (id.charAt(client.length()) == '0') ? client : null;
	}

	/**
	 * Returns the contender's part of a node's name.
	 * @param name the name of a node of this client's kind, see {@link #clientIn}
	 * @return the contender's id
	 */
	public static String contenderIn(String name) {
		int begin = LockNodeName.PROTECTED.length();
		return name.substring(begin, begin + ID_LENGTH);
	}

	/**
	 * Describes a contender in its node.
	 * @param id its id
	 * @param mode its mode
	 * @param permits how many may hold the key together with it; 0 for a lock
	 * @param thread who asked first
	 * @param retain whether its lock may be kept although nobody holds it
	 * @param writeNanos how long the servers take to answer a write of ours; 0 is not
	 * said
	 * @return the node's data
	 */
	public byte[] describe(String id, LockMode mode, int permits, String thread, boolean retain, long writeNanos) {
		StringBuilder json = new StringBuilder(CONTENT);
		NodeContent.append(json, "id", id);
		json.append(',').append(this.origin);
		NodeContent.append(json, "thread", thread);
		NodeContent.append(json, "mode", mode.name());
		if (permits > 0) {
			NodeContent.append(json, "permits", Integer.toString(permits));
		}
		NodeContent.append(json, "since", this.wallClock.instant().toString());
		if (retain) {
			NodeContent.append(json, "retain", "true");
		}
		if (writeNanos > 0) {
			long micros = Math.max(1, TimeUnit.NANOSECONDS.toMicros(writeNanos));
			NodeContent.append(json, "writeMicros", Long.toString(Math.min(micros, MOST_MICROS)));
		}
		return json.append('}').toString().getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * Describes something else of ours.
	 * @param fields what there is to say
	 * @return the node's data: the fields in their order, and who we are
	 */
	public byte[] describe(Map<String, String> fields) {
		StringBuilder json = new StringBuilder(CONTENT);
		fields.forEach((name, text) -> NodeContent.append(json, name, text));
		json.append((json.length() == 0) ? '{' : ',').append(this.origin);
		return json.append('}').toString().getBytes(StandardCharsets.UTF_8);
	}

}
