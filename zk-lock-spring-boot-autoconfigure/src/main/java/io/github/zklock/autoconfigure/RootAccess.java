package io.github.zklock.autoconfigure;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
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

	/** An answer that is always too long costs the connection each time. */
	private static final int MOST_LOOKS = 5;

	private final CuratorFramework curator;

	/** With the namespace of Curator. */
	private final String root;

	private final boolean nested;

	private final ACLProvider acls;

	private final AtomicInteger unanswered = new AtomicInteger();

	/** Whether it is known who else may change the locks. */
	private volatile boolean judged;

	/** Whom the last warning named, so that another look does not say it again. */
	private volatile String warned = "";

	/**
	 * Creates one that has not looked yet.
	 * @param curator the client
	 * @param root the path of the root
	 * @param nested whether key nodes are below others
	 * @param acls what the locks are to have
	 */
	RootAccess(CuratorFramework curator, String root, boolean nested, ACLProvider acls) {
		this.curator = curator;
		this.root = full(curator, root);
		this.nested = nested;
		this.acls = acls;
	}

	private static String full(CuratorFramework curator, String root) {
		String namespace = curator.getNamespace();
		return (namespace == null || namespace.isEmpty()) ? root : "/" + namespace + root;
	}

	/**
	 * Looks whether locks can be acquired below the root, and protects it. The client has
	 * to be connected. Once it is known who else may change the locks, a look costs two
	 * requests.
	 * @return whether they can, and all has been looked at; false if an answer is missing
	 * @throws ZkLockStartupException if the servers would refuse every lock
	 */
	boolean check() {
		RootCheck check = new RootCheck(this.curator, this.root, this.acls);
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
		boolean done = protect() || (!this.judged && isEnough());
		if (done) {
			this.judged = true;
		}
		return done && check.isAnswered();
	}

	private boolean isEnough() {
		boolean enough = this.unanswered.incrementAndGet() >= MOST_LOOKS;
		if (enough) {
			log.warn("Who may change the locks below {} is not known: {} times an answer was lost", this.root,
					MOST_LOOKS);
		}
		return enough;
	}

	/**
	 * Makes the root so that nobody else can replace it, and warns if it, or a key node,
	 * lets others in although they are not to be. What fails here is reported to those
	 * who lock.
	 * @return false if an answer is missing, so that another look is needed
	 */
	private boolean protect() {
		if (ConfiguredAcl.isOpen(ConfiguredAcl.of(this.acls, this.root))) {
			return true;
		}
		try {
			make(this.curator.usingNamespace(null), this.root + STAYS);
			if (this.judged) {
				return true;
			}
			ZooKeeper zooKeeper = this.curator.getZookeeperClient().getZooKeeper();
			AllowedAccess allowed = new AllowedAccess(ownIds(zooKeeper), this.acls);
			Stat stat = new Stat();
			judgeRoot(allowed.others(this.root, zooKeeper.getACL(this.root, stat)));
			if (stat.getNumChildren() > MOST_LISTED) {
				log.info("Below {} there are {} key nodes, too many to look at who may change them", this.root,
						stat.getNumChildren());
				return true;
			}
			judgeKeyNodes(new KeyNodeAccess(zooKeeper, this.root, allowed).others(this.nested));
			return true;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
		catch (KeeperException.NoAuthException | KeeperException.InvalidACLException ex) {
			log.debug("The servers do not let {} be protected", this.root, ex);
			return true;
		}
		catch (Exception ex) {
			log.debug("The root {} cannot be protected yet", this.root, ex);
			return false;
		}
	}

	// Parents only where they are missing: those that are there may be of others
	private void make(CuratorFramework anywhere, String path) throws Exception {
		try {
			anywhere.create().withACL(ConfiguredAcl.of(this.acls, path)).forPath(path, new byte[0]);
		}
		catch (KeeperException.NodeExistsException ex) {
			log.trace("{} is there", path);
		}
		catch (KeeperException.NoNodeException ex) {
			make(anywhere, path.substring(0, path.lastIndexOf('/')));
			make(anywhere, path);
		}
	}

	// A node of the creator's shows it. Below the one that stays, where nobody looks for
	// keys
	private List<Id> ownIds(ZooKeeper zooKeeper) throws Exception {
		long session = zooKeeper.getSessionId();
		String probe = this.root + STAYS + "/" + Long.toHexString(session);
		try {
			zooKeeper.create(probe, new byte[0], Ids.CREATOR_ALL_ACL, CreateMode.EPHEMERAL);
		}
		catch (KeeperException.NodeExistsException ex) {
			log.trace("An earlier look has left {}", probe);
		}
		catch (KeeperException.InvalidACLException | KeeperException.NoAuthException ex) {
			log.debug("The servers do not say who this client is", ex);
			return List.of();
		}
		Stat stat = new Stat();
		List<ACL> acl;
		try {
			acl = zooKeeper.getACL(probe, stat);
		}
		finally {
			zooKeeper.delete(probe, -1);
		}
		// Where the one that stays is open, others can make such a node
		return (stat.getEphemeralOwner() == session) ? acl.stream().map(ACL::getId).toList() : List.of();
	}

	private void judgeRoot(String others) {
		if (!others.isEmpty() && !others.equals(this.warned)) {
			log.warn("The node {} was made with an ACL that lets {} create and delete locks. "
					+ "Change it with setAcl, or choose another zk-lock.root", this.root, others);
		}
		this.warned = others;
	}

	private void judgeKeyNodes(Map<String, String> others) {
		if (!others.isEmpty()) {
			String some = others.entrySet()
				.stream()
				.limit(5)
				.map((one) -> one.getKey() + " (" + one.getValue() + ")")
				.collect(Collectors.joining(", "));
			log.warn(
					"Below {} there are {} key nodes with an ACL that lets others take or delete their locks: {}. "
							+ "Delete them while nobody locks, or change them with setAcl",
					this.root, others.size(), some);
		}
	}

}
