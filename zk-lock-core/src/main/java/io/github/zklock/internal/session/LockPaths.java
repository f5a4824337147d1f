package io.github.zklock.internal.session;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.apache.curator.framework.api.ACLProvider;
import org.apache.zookeeper.common.PathUtils;
import org.apache.zookeeper.data.ACL;

import io.github.zklock.LockException;
import io.github.zklock.internal.node.KeyEncoding;
import io.github.zklock.internal.node.LockNodeName;

/**
 * Where locks are, and who may touch them.
 *
 * @param root the root's full path, with Curator's namespace, without a slash at its end
 * @param keyPrefix what each key begins with in ZooKeeper, and nowhere else; may be empty
 * @param nested whether a {@code /} in a key makes a path, and is not encoded
 * @param acls gives the ACLs of the root, of the nodes above it and of the key nodes
 */
public record LockPaths(String root, String keyPrefix, boolean nested, ACLProvider acls) {

	/** What no key is encoded to. */
	private static final String JOBS = "%~jobs";

	private static final String ASKS = "%~asks";

	/** What no key's encoding contains. */
	private static final String BESIDE = "%@";

	/** The longest prefix, encoded: a key node that has only a key's digest shows it. */
	private static final int LONGEST_PREFIX = 128;

	/**
	 * Each is a node, which is made by a transaction and removed a minute later than the
	 * one below.
	 */
	private static final int MOST_SEGMENTS = 32;

	/**
	 * Builds paths below a root.
	 * @param namespace the namespace of Curator; empty for none
	 * @param root an absolute path below the namespace
	 * @param keyPrefix what each key begins with in ZooKeeper; empty for nothing
	 * @param nested whether a {@code /} in a key makes a path
	 * @param acls gives the ACLs of the root, of the nodes above it and of the key nodes
	 * @return the paths
	 * @throws IllegalArgumentException if the root is not a legal path, or is {@code /},
	 * or if keys are nested and the prefix cannot be a path
	 */
	public static LockPaths of(String namespace, String root, String keyPrefix, boolean nested, ACLProvider acls) {
		try {
			PathUtils.validatePath(root);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException(
					"The root path of the locks must be a legal absolute ZooKeeper path, but is '" + root + "'", ex);
		}
		if (root.equals("/") || root.equals("/zookeeper") || root.startsWith("/zookeeper/")) {
			throw new IllegalArgumentException(
					"The root path of the locks must be a node of its own, such as /zk-lock, " + "but is '" + root
							+ "'");
		}
		checkPrefix(keyPrefix, nested);
		return new LockPaths(namespace.isEmpty() ? root : "/" + namespace + root, keyPrefix, nested, acls);
	}

	/**
	 * Returns what ZooKeeper's client puts before each path.
	 * @param servers a connect string
	 * @return the path at its end; empty if there is none
	 */
	public static String chroot(String servers) {
		int slash = servers.indexOf('/');
		return (slash < 0 || slash == servers.length() - 1) ? "" : servers.substring(slash);
	}

	private static void checkNestedPrefix(String keyPrefix) {
		// What comes after the last slash goes on in the key
		String shortest = keyPrefix.substring(0, keyPrefix.lastIndexOf('/') + 1) + "key";
		whyRefused(shortest, "a key has at least %d segments with it").ifPresent((why) -> {
			throw new IllegalArgumentException(
					"The prefix of the keys, '%s', cannot be a path, as zk-lock.nested-keys wants it: %s"
						.formatted(keyPrefix, why));
		});
	}

	private static Optional<String> whyRefused(String whole, String tooMany) {
		List<String> segments = segments(whole).toList();
		if (segments.size() > MOST_SEGMENTS) {
			return Optional.of((tooMany + ", and may have at most %d").formatted(segments.size(), MOST_SEGMENTS));
		}
		return segments.stream()
			.filter((segment) -> segment.isEmpty() || LockNodeName.parse(segment).isPresent())
			.findFirst()
			.map((segment) -> "its segment '%s' %s".formatted(LockException.printable(segment),
					segment.isEmpty() ? "is empty" : "would be taken for a waiter's node"));
	}

	/**
	 * Refuses what keys cannot begin with.
	 * @param keyPrefix a prefix of keys
	 * @param nested whether a {@code /} in a key makes a path
	 * @throws IllegalArgumentException if it is too long, not well-formed, or, if nested,
	 * cannot be a path or has too many segments
	 */
	public static void checkPrefix(String keyPrefix, boolean nested) {
		if (!StandardCharsets.UTF_8.newEncoder().canEncode(keyPrefix)) {
			throw new IllegalArgumentException("The prefix of the keys must be well-formed Unicode");
		}
		int length = KeyEncoding.beginning(keyPrefix).length();
		if (length > LONGEST_PREFIX) {
			throw new IllegalArgumentException(
					"The prefix of the keys must have at most %d characters in a node's name, but '%s' has %d"
						.formatted(LONGEST_PREFIX, keyPrefix, length));
		}
		if (nested) {
			checkNestedPrefix(keyPrefix);
		}
	}

	/**
	 * Returns the key node.
	 * @param key the key
	 * @return its full path
	 */
	public String keyNode(String key) {
		String whole = this.keyPrefix + key;
		return this.root + "/" + (this.nested ? encodeEach(whole) : KeyEncoding.encode(whole));
	}

	/**
	 * Returns where a key may be that people name.
	 * @param shown the key, or what is shown in its stead: the name of a node that has
	 * only a key's digest ({@link #keyOf})
	 * @return full paths of key nodes: first that of the key
	 */
	public List<String> keyNodes(String shown) {
		List<String> keyNodes = new ArrayList<>();
		if (isKey(shown)) {
			keyNodes.add(keyNode(shown));
		}
		if (hasDigest(shown)) {
			keyNodes.add(this.root + "/" + shown);
		}
		return keyNodes;
	}

	private boolean hasDigest(String name) {
		List<String> segments = this.nested ? segments(name).toList() : List.of(name);
		return segments.stream().anyMatch(KeyEncoding::hasDigest)
				&& segments.stream()
					.allMatch((segment) -> KeyEncoding.hasDigest(segment) || KeyEncoding.decode(segment).isPresent())
				&& keyOf(name).isPresent();
	}

	/**
	 * Returns where the marks of jobs are.
	 * @return the full path of their parent, beside the key nodes
	 */
	public String jobs() {
		return this.root + "/" + JOBS;
	}

	/**
	 * Returns the mark of a job.
	 * @param key the job's key
	 * @return its full path
	 */
	public String mark(String key) {
		return jobs() + "/" + KeyEncoding.encode(this.keyPrefix + key);
	}

	/**
	 * Returns where holders can be asked to let go.
	 * @return the full path of the nodes' parent, beside the key nodes
	 */
	public String asks() {
		return this.root + "/" + ASKS;
	}

	/**
	 * Returns where those who hold a key can be asked to let go.
	 * @param key the key
	 * @return what the full paths of their nodes begin with; an id follows
	 */
	public String askedBeside(String key) {
		return asks() + "/" + KeyEncoding.encode(this.keyPrefix + key) + BESIDE;
	}

	/**
	 * Returns where those can be asked who hold a key that people name.
	 * @param shown as for {@link #keyNodes}; of a nested key its name does not say that
	 * @return what the full paths of their nodes begin with
	 */
	public List<String> askedBesideEach(String shown) {
		return (hasDigest(shown) && !shown.contains("/")) ? List.of(askedBeside(shown), asks() + "/" + shown + BESIDE)
				: List.of(askedBeside(shown));
	}

	/**
	 * Returns whether a mark is of a job with this prefix.
	 * @param name the mark's name
	 * @return false if it is of another application's
	 */
	public boolean hasMark(String name) {
		return name.startsWith(KeyEncoding.beginning(this.keyPrefix));
	}

	/**
	 * Returns whether a node below the root may be a key node.
	 * @param name its name, or its path relative to the root
	 * @return false if it has to do with jobs, or with asking holders
	 */
	public static boolean isKeyNode(String name) {
		return !isAtOrBelow(JOBS, name) && !isAtOrBelow(ASKS, name);
	}

	private static boolean isAtOrBelow(String parent, String name) {
		return name.equals(parent) || name.startsWith(parent + "/");
	}

	private static String encodeEach(String whole) {
		return segments(whole).map((segment) -> segment.isEmpty() ? "" : KeyEncoding.encode(segment))
			.collect(Collectors.joining("/"));
	}

	private static Stream<String> segments(String whole) {
		return Arrays.stream(whole.split("/", -1));
	}

	/**
	 * Refuses a key that cannot be a path.
	 * @param key the key
	 * @throws IllegalArgumentException if keys are paths, and this one has too many
	 * segments with its prefix, an empty one, or one that is a contender's name
	 */
	public void check(String key) {
		whyRefused(key).ifPresent((why) -> {
			throw new IllegalArgumentException("The lock key '%s' cannot be a path, as zk-lock.nested-keys wants it: %s"
				.formatted(LockException.printable(key), why));
		});
	}

	/**
	 * Returns whether there may be a lock of a key.
	 * @param key any text
	 * @return false if nobody can ask for one
	 */
	public boolean isKey(String key) {
		return !key.isEmpty() && whyRefused(key).isEmpty();
	}

	private Optional<String> whyRefused(String key) {
		return this.nested ? whyRefused(this.keyPrefix + key, "it has %d segments with its prefix") : Optional.empty();
	}

	/**
	 * Returns the nodes between the root and a key node, which are made as it is.
	 * @param keyNode the key node's path
	 * @return their paths, the highest first; none if keys are not nested
	 */
	public List<String> between(String keyNode) {
		List<String> between = new ArrayList<>();
		for (int slash = keyNode.indexOf('/', this.root.length() + 1); slash > 0; slash = keyNode.indexOf('/',
				slash + 1)) {
			between.add(keyNode.substring(0, slash));
		}
		return between;
	}

	/**
	 * Returns the key that a node below the root is for.
	 * @param name the node's name, or its path relative to the root
	 * @return the key without prefix, or the name if it does not say a key, as where it
	 * has only the digest of one; empty if it is for a key without this prefix
	 */
	public Optional<String> keyOf(String name) {
		if (!isKeyNode(name)) {
			return Optional.empty();
		}
		Optional<String> decoded = this.nested ? decodeEach(name) : KeyEncoding.decode(name);
		if (decoded.isEmpty()) {
			return name.startsWith(beginning()) ? Optional.of(name) : decoded;
		}
		int length = this.keyPrefix.length();
		return decoded.filter((key) -> key.startsWith(this.keyPrefix) && key.length() > length)
			.map((key) -> key.substring(length));
	}

	/**
	 * Returns the key node that a lock node is at or below.
	 * @param path any full path
	 * @return the key node's full path; empty if there is no lock node of these keys
	 */
	public Optional<String> keyNodeOf(String path) {
		int last = path.lastIndexOf('/');
		boolean queued = last > this.root.length() && LockNodeName.parse(path.substring(last + 1)).isPresent();
		String keyNode = queued ? path.substring(0, last) : path;
		String name = keyNode.startsWith(this.root + "/") ? keyNode.substring(this.root.length() + 1) : "";
		boolean key = !name.isEmpty() && (this.nested || name.indexOf('/') < 0) && keyOf(name).isPresent();
		return key ? Optional.of(keyNode) : Optional.empty();
	}

	/**
	 * Returns whether a node below the root, or one below that, may be a key's.
	 * @param name the node's path relative to the root
	 * @return false if all are for keys without this prefix
	 */
	public boolean mayHaveKeys(String name) {
		return keyOf(name).isPresent() || (beginning() + "/").startsWith(name + "/");
	}

	private String beginning() {
		int last = this.nested ? this.keyPrefix.lastIndexOf('/') + 1 : 0;
		return encodeEach(this.keyPrefix.substring(0, last)) + KeyEncoding.beginning(this.keyPrefix.substring(last));
	}

	// An encoded slash is of a client whose keys are not nested
	private static Optional<String> decodeEach(String name) {
		List<Optional<String>> decoded = segments(name).map(KeyEncoding::decode).toList();
		return decoded.stream().allMatch(Optional::isPresent)
				? Optional.of(decoded.stream().flatMap(Optional::stream).collect(Collectors.joining("/")))
					.filter((key) -> encodeEach(key).equals(name))
				: Optional.empty();
	}

	/**
	 * Returns the ACL of what belongs to a key, also beside the key nodes.
	 * @param key the key
	 * @return the ACL of its key node
	 */
	public List<ACL> aclOf(String key) {
		return acl(keyNode(key));
	}

	/**
	 * Returns the ACL of what belongs to no key.
	 * @return the ACL of the root
	 */
	public List<ACL> aclOfRoot() {
		return acl(this.root);
	}

	/**
	 * Asks the user's provider.
	 * @param path the full path of the root, of a node above it, of a key node or of a
	 * node on the way to that one
	 * @return the path's ACL
	 */
	public List<ACL> acl(String path) {
		List<ACL> acl = this.acls.getAclForPath(path);
		return (acl != null) ? acl : this.acls.getDefaultAcl();
	}

}
