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

	private RootAccess() {
	}

	/**
	 * Warns if the root lets everybody in although the locks are not to.
	 * @param curator a connected client
	 * @param root the path of the root
	 * @param acls what the locks are to have
	 */
	static void check(CuratorFramework curator, String root, ACLProvider acls) {
		if (ConfiguredAcl.isOpen(acls.getDefaultAcl())) {
			return;
		}
		try {
			if (ConfiguredAcl
				.isOpen(curator.getZookeeperClient().getZooKeeper().getACL(full(curator, root), new Stat()))) {
				log.warn("The node {} was made with an ACL that lets everybody create and delete locks. "
						+ "Change it with setAcl, or choose another zk-lock.root", root);
			}
		}
		catch (KeeperException.NoNodeException ex) {
			log.debug("{} will be made with the ACL of the locks", root);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (Exception ex) {
			log.debug("The ACL of {} cannot be read", root, ex);
		}
	}

	private static String full(CuratorFramework curator, String root) {
		String namespace = curator.getNamespace();
		return (namespace == null || namespace.isEmpty()) ? root : "/" + namespace + root;
	}

}
