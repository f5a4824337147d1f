package io.github.zklock.internal.session;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

import org.apache.curator.framework.api.ACLProvider;
import org.apache.zookeeper.common.PathUtils;
import org.apache.zookeeper.data.ACL;

import io.github.zklock.internal.node.KeyEncoding;

/**
 * Where locks are, and who may touch them.
 *
 * @param root the root's full path, with Curator's namespace, without a slash at its end
 * @param keyPrefix what each key begins with in ZooKeeper, and nowhere else; may be empty
 * @param acls gives the ACL of each path
 */
public record LockPaths(String root, String keyPrefix, ACLProvider acls) {

	/** The longest prefix, encoded: a key node that has only a key's digest shows it. */
	private static final int LONGEST_PREFIX = 128;

	/**
	 * Builds paths below a root.
	 * @param namespace the namespace of Curator; empty for none
	 * @param root an absolute path below the namespace
	 * @param keyPrefix what each key begins with in ZooKeeper; empty for nothing
	 * @param acls gives the ACL of each path
	 * @return the paths
	 * @throws IllegalArgumentException if the root is not a legal path, or is {@code /}
	 */
	public static LockPaths of(String namespace, String root, String keyPrefix, ACLProvider acls) {
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
		return new LockPaths(namespace.isEmpty() ? root : "/" + namespace + root, keyPrefix, acls);
	}

	/**
	 * Refuses what keys cannot begin with.
	 * @param keyPrefix a prefix of keys
	 * @throws IllegalArgumentException if it is too long or not well-formed
	 */
	public static void checkPrefix(String keyPrefix) {
		if (!StandardCharsets.UTF_8.newEncoder().canEncode(keyPrefix)) {
			throw new IllegalArgumentException("The prefix of the keys must be well-formed Unicode");
		}
		int length = KeyEncoding.beginning(keyPrefix).length();
		if (length > LONGEST_PREFIX) {
			throw new IllegalArgumentException(
					"The prefix of the keys must have at most %d characters in a node's name, but '%s' has %d"
						.formatted(LONGEST_PREFIX, keyPrefix, length));
		}
	}

	/**
	 * Returns the key node.
	 * @param key the key
	 * @return its full path
	 */
	public String keyNode(String key) {
		return this.root + "/" + KeyEncoding.encode(this.keyPrefix + key);
	}

	/**
	 * Returns the key that a node below the root is for.
	 * @param name the node's name
	 * @return the key without prefix, or the name if it has only the digest of a key;
	 * empty if it is for a key without this prefix
	 */
	public Optional<String> keyOf(String name) {
		Optional<String> decoded = KeyEncoding.decode(name);
		if (decoded.isEmpty()) {
			return name.startsWith(KeyEncoding.beginning(this.keyPrefix)) ? Optional.of(name) : decoded;
		}
		int length = this.keyPrefix.length();
		return decoded.filter((key) -> key.startsWith(this.keyPrefix) && key.length() > length)
			.map((key) -> key.substring(length));
	}

	public List<ACL> acl(String path) {
		List<ACL> acl = this.acls.getAclForPath(path);
		return (acl != null) ? acl : this.acls.getDefaultAcl();
	}

}
