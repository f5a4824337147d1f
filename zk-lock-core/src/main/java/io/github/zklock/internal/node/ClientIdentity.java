package io.github.zklock.internal.node;

import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockMode;
import io.github.zklock.inspect.ContenderOrigin;
import io.github.zklock.inspect.LockInspector;

/**
 * Who we are in ZooKeeper: the client's id, which is half of every contender's id, and
 * the text that each node carries for people to read, a flat JSON object of strings.
 */
public final class ClientIdentity {

	private static final int MAX_CONTENT = 8192;

	/** How long the data of most nodes is. */
	private static final int CONTENT = 320;

	/** What a name begins with, here and in Curator's protected mode. */
	private static final String PROTECTED = "_c_";

	private static final int ID_LENGTH = 36;

	/** In a random id another digit than 0 follows, in those of our contenders a 0. */
	private static final int CLIENT_LENGTH = 19;

	private static final int MOST_MICROS = 999_999_999;

	/** Of a text with more bytes the rest is left out, so that all can be read again. */
	private static final int MAX_FIELD = 1800;

	/** As long as a key may be; of a longer text no more is read. */
	private static final int MAX_LENGTH = 1024;

	private final long clientId = UUID.randomUUID().getMostSignificantBits();

	private final AtomicLong contenders = new AtomicLong();

	private final String idPrefix = new UUID(this.clientId, 0).toString().substring(0, CLIENT_LENGTH);

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
		append(json, "application", application);
		append(json, "instance", instance);
		append(json, "host", host);
		append(json, "pid", Long.toString(pid));
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
		boolean ours = name.startsWith(PROTECTED) && name.length() > PROTECTED.length() + ID_LENGTH
				&& name.charAt(PROTECTED.length() + CLIENT_LENGTH) == '0';
		return ours ? name.substring(PROTECTED.length(), PROTECTED.length() + CLIENT_LENGTH) : null;
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
		append(json, "id", id);
		json.append(',').append(this.origin);
		append(json, "thread", thread);
		append(json, "mode", mode.name());
		if (permits > 0) {
			append(json, "permits", Integer.toString(permits));
		}
		append(json, "since", this.wallClock.instant().toString());
		if (retain) {
			append(json, "retain", "true");
		}
		if (writeNanos > 0) {
			long micros = Math.max(1, TimeUnit.NANOSECONDS.toMicros(writeNanos));
			append(json, "writeMicros", Long.toString(Math.min(micros, MOST_MICROS)));
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
		fields.forEach((name, text) -> append(json, name, text));
		json.append((json.length() == 0) ? '{' : ',').append(this.origin);
		return json.append('}').toString().getBytes(StandardCharsets.UTF_8);
	}

	private static void append(StringBuilder json, String name, String text) {
		String value = cut(text);
		json.append((json.length() == 0) ? '{' : ',').append('"').append(name).append("\":\"");
		int plain = 0;
		for (int i = 0; i < value.length(); i++) {
			char c = value.charAt(i);
			if (c < ' ' || c == '"' || c == '\\') {
				json.append(value, plain, i).append((c < ' ') ? "\\u%04x".formatted((int) c) : "\\" + c);
				plain = i + 1;
			}
		}
		json.append(value, plain, value.length());
		json.append('"');
	}

	// A character takes six bytes at most
	private static String cut(String text) {
		if (text.length() <= MAX_FIELD / 6) {
			return text;
		}
		int bytes = 0;
		for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
			bytes += bytes(text.codePointAt(i));
			if (bytes > MAX_FIELD || i >= MAX_LENGTH) {
				return text.substring(0, i) + "...";
			}
		}
		return text;
	}

	// As they are written: escaped, and in UTF-8
	private static int bytes(int c) {
		if (c < 0x80) {
			return (c < ' ') ? 6 : (c == '"' || c == '\\') ? 2 : 1;
		}
		return (c < 0x800) ? 2 : (c <= 0xffff) ? 3 : 4;
	}

	/**
	 * Adds to a contender's data that its permit is held.
	 * @param content the node's data, as {@link #describe} has it
	 * @return the node's new data
	 */
	public static byte[] held(byte[] content) {
		StringBuilder json = new StringBuilder(new String(content, StandardCharsets.UTF_8));
		json.setLength(json.length() - 1);
		append(json, "held", "true");
		return json.append('}').toString().getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * Returns whether the data of a permit's node say that it is held.
	 * @param content the node's data
	 * @return false also if it has been held from its first moment
	 */
	public static boolean holdsPermit(byte @Nullable [] content) {
		return content != null && content.length <= MAX_CONTENT
				&& ContenderOrigin.holdsPermit(new String(content, StandardCharsets.UTF_8));
	}

	/**
	 * Reads the id of the contender that made a node.
	 * @param content the node's data
	 * @return the id, or null if no lock client of this kind made it
	 */
	public static @Nullable String idIn(byte @Nullable [] content) {
		ContenderOrigin origin = origin(content);
		return (origin != null) ? origin.id() : null;
	}

	/**
	 * Says in a few words who made a node.
	 * @param content the node's data
	 * @param path the node's path, for nodes of others
	 * @return for example {@code billing-2 (host b2, pid 311, thread main)}
	 */
	public static String who(byte @Nullable [] content, String path) {
		ContenderOrigin origin = origin(content);
		return (origin != null) ? origin.who() : "the node " + path;
	}

	/**
	 * Returns whether the lock of a node may be kept although nobody holds it.
	 * @param content the node's data
	 * @return false also if the node does not say so
	 */
	public static boolean mayBeRetained(byte @Nullable [] content) {
		return content != null && content.length <= MAX_CONTENT
				&& ContenderOrigin.mayBeRetained(new String(content, StandardCharsets.UTF_8));
	}

	/**
	 * Reads how long the servers take to answer a write of the client that made a node.
	 * @param content the node's data
	 * @return nanoseconds, more than 0; {@link Long#MAX_VALUE} if the node does not say
	 * so
	 */
	public static long writeNanos(byte @Nullable [] content) {
		Integer micros = (content != null && content.length <= MAX_CONTENT)
				? ContenderOrigin.writeMicros(new String(content, StandardCharsets.UTF_8)) : null;
		return (micros != null && micros > 0) ? TimeUnit.MICROSECONDS.toNanos(micros) : Long.MAX_VALUE;
	}

	private static @Nullable ContenderOrigin origin(byte @Nullable [] content) {
		return (content != null && content.length <= MAX_CONTENT)
				? ContenderOrigin.parse(new String(content, StandardCharsets.UTF_8)) : null;
	}

}
