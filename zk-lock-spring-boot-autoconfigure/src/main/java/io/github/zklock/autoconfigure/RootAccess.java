package io.github.zklock.autoconfigure;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at start-up whether the root of the locks is as protected as they are to be. Who
 * may create or delete below it can take or delete any lock, whatever the ACL of its
 * node.
 */
final class RootAccess {

	private static final Logger log = LoggerFactory.getLogger(RootAccess.class);

	/** No key has it: the encoding of keys never begins so. */
	private static final String STAYS = "/%~stays";

	private RootAccess() {
	}

	/**
	 * Makes the root so that nobody else can replace it, and warns if it lets everybody
	 * in although the locks are not to. What fails here is reported to those who lock.
	 * @param curator a connected client
	 * @param root the path of the root
	 * @param acls what the locks are to have
	 */
	static void protect(CuratorFramework curator, String root, ACLProvider acls) {
		if (ConfiguredAcl.isOpen(acls.getDefaultAcl())) {
			return;
		}
		try {
			makeStay(curator, root + STAYS, acls);
			if (ConfiguredAcl
				.isOpen(curator.getZookeeperClient().getZooKeeper().getACL(full(curator, root), new Stat()))) {
				log.warn("The node {} was made with an ACL that lets everybody create and delete locks. "
						+ "Change it with setAcl, or choose another zk-lock.root", root);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (Exception ex) {
			log.debug("The root {} cannot be protected", root, ex);
		}
	}

	private static void makeStay(CuratorFramework curator, String path, ACLProvider acls) throws Exception {
		try {
			curator.create().creatingParentsIfNeeded().withACL(acls.getDefaultAcl(), true).forPath(path, new byte[0]);
		}
		catch (KeeperException.NodeExistsException ex) {
			log.trace("{} is there", path);
		}
	}

	private static String full(CuratorFramework curator, String root) {
		String namespace = curator.getNamespace();
		return (namespace == null || namespace.isEmpty()) ? root : "/" + namespace + root;
	}

}
