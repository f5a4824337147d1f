package io.github.zklock.autoconfigure;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at start-up whether the root of the locks, and the key nodes that are there, are
 * as protected as they are to be. Who may create or delete below the root can take or
 * delete any lock, whatever the ACL of its node.
 */
final class RootAccess {

	private static final Logger log = LoggerFactory.getLogger(RootAccess.class);

	/** No key has it: the encoding of keys never begins so. */
	static final String STAYS = "/%~stays";

	/** The names of more may be a list over 1 MiB, which ends the connection. */
	static final int MOST_LISTED = 4000;

	private RootAccess() {
	}

	/**
	 * Looks whether locks can be had below the root, and protects it.
	 * @param curator a connected client
	 * @param root the path of the root
	 * @param nested whether key nodes are below others
	 * @param acls what the locks are to have
	 * @return whether they can; false if the servers gave no answer
	 * @throws ZkLockStartupException if the servers would refuse every lock
	 */
	static boolean check(CuratorFramework curator, String root, boolean nested, ACLProvider acls) {
		RootCheck check = new RootCheck(curator, full(curator, root), acls);
		try {
			ZkLockStartupException problem = check.problem();
			if (problem != null) {
				throw problem;
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
		protect(curator, root, nested, acls);
		return check.isAnswered();
	}

	/**
	 * Makes the root so that nobody else can replace it, and warns if it, or a key node,
	 * lets others in although they are not to be. What fails here is reported to those
	 * who lock.
	 * @param curator a connected client
	 * @param root the path of the root
	 * @param nested whether key nodes are below others
	 * @param acls what the locks are to have
	 */
	private static void protect(CuratorFramework curator, String root, boolean nested, ACLProvider acls) {
		String path = full(curator, root);
		if (ConfiguredAcl.isOpen(ConfiguredAcl.of(acls, path))) {
			return;
		}
		try {
			make(curator.usingNamespace(null), path + STAYS, acls);
			ZooKeeper zooKeeper = curator.getZookeeperClient().getZooKeeper();
			AllowedAccess allowed = new AllowedAccess(ownIds(curator, root, zooKeeper), acls);
			Stat stat = new Stat();
			judgeRoot(path, allowed.others(path, zooKeeper.getACL(path, stat)));
			if (stat.getNumChildren() > MOST_LISTED) {
				log.info("Below {} there are {} key nodes, too many to look at who may change them", path,
						stat.getNumChildren());
				return;
			}
			judgeKeyNodes(path, new KeyNodeAccess(zooKeeper, path, allowed).others(nested));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (Exception ex) {
			log.debug("The root {} cannot be protected", root, ex);
		}
	}

	// Parents only where they are missing: those that are there may be of others
	private static void make(CuratorFramework curator, String path, ACLProvider acls) throws Exception {
		try {
			curator.create().withACL(ConfiguredAcl.of(acls, path)).forPath(path, new byte[0]);
		}
		catch (KeeperException.NodeExistsException ex) {
			log.trace("{} is there", path);
		}
		catch (KeeperException.NoNodeException ex) {
			make(curator, path.substring(0, path.lastIndexOf('/')), acls);
			make(curator, path, acls);
		}
	}

	// A node of the creator's shows it. Below the one that stays, where nobody looks for
	// keys
	private static List<Id> ownIds(CuratorFramework curator, String root, ZooKeeper zooKeeper) throws Exception {
		String probe = full(curator, root) + STAYS + "/" + Long.toHexString(zooKeeper.getSessionId());
		try {
			zooKeeper.create(probe, new byte[0], Ids.CREATOR_ALL_ACL, CreateMode.EPHEMERAL);
			List<ACL> acl = zooKeeper.getACL(probe, new Stat());
			zooKeeper.delete(probe, -1);
			return acl.stream().map(ACL::getId).toList();
		}
		catch (KeeperException.InvalidACLException | KeeperException.NoAuthException ex) {
			log.debug("The servers do not say who this client is", ex);
			return List.of();
		}
	}

	private static void judgeRoot(String path, String others) {
		if (!others.isEmpty()) {
			log.warn("The node {} was made with an ACL that lets {} create and delete locks. "
					+ "Change it with setAcl, or choose another zk-lock.root", path, others);
		}
	}

	private static void judgeKeyNodes(String path, Map<String, String> others) {
		if (!others.isEmpty()) {
			String some = others.entrySet()
				.stream()
				.limit(5)
				.map((one) -> one.getKey() + " (" + one.getValue() + ")")
				.collect(Collectors.joining(", "));
			log.warn("Below {} there are {} key nodes with an ACL that lets others take or delete their locks: {}. "
					+ "Delete them while nobody locks, or change them with setAcl", path, others.size(), some);
		}
	}

	private static String full(CuratorFramework curator, String root) {
		String namespace = curator.getNamespace();
		return (namespace == null || namespace.isEmpty()) ? root : "/" + namespace + root;
	}

}
