package io.github.zklock.internal.session;

import java.util.List;

import org.apache.curator.framework.api.ACLProvider;
import org.apache.zookeeper.common.PathUtils;
import org.apache.zookeeper.data.ACL;

import io.github.zklock.internal.node.KeyEncoding;

/**
 * Where locks are, and who may touch them.
 *
 * @param root the root's full path, with Curator's namespace, without a slash at its end
 * @param acls gives the ACL of each path
 */
public record LockPaths(String root, ACLProvider acls) {

	/**
	 * Builds paths below a root.
	 * @param namespace the namespace of Curator; empty for none
	 * @param root an absolute path below the namespace
	 * @param acls gives the ACL of each path
	 * @return the paths
	 * @throws IllegalArgumentException if the root is not a legal path, or is {@code /}
	 */
	public static LockPaths of(String namespace, String root, ACLProvider acls) {
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
		return new LockPaths(namespace.isEmpty() ? root : "/" + namespace + root, acls);
	}

	/**
	 * Returns the key node.
	 * @param key the key
	 * @return its full path
	 */
	public String keyNode(String key) {
		return this.root + "/" + KeyEncoding.encode(key);
	}

	public List<ACL> acl(String path) {
		List<ACL> acl = this.acls.getAclForPath(path);
		return (acl != null) ? acl : this.acls.getDefaultAcl();
	}

}
