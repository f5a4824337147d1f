package io.github.zklock.autoconfigure;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks whether this client may create nodes below the root of the locks, as each lock
 * does. It asks for it in a transaction that cannot succeed, so that nothing is changed
 * and nobody is notified.
 */
final class RootCheck {

	// As much as a lock's node has, because quotas bound bytes too
	private static final byte[] DATA = new byte[256];

	private static final Logger log = LoggerFactory.getLogger(RootCheck.class);

	/** No key has it: the encoding of keys never begins so. */
	private static final String PROBE = "/%~probe";

	private final CuratorFramework curator;

	private final String root;

	private final ACLProvider acls;

	private boolean answered;

	/**
	 * Creates a check.
	 * @param curator the client
	 * @param root the root's full path, with Curator's namespace
	 * @param acls what the nodes are to have
	 */
	RootCheck(CuratorFramework curator, String root, ACLProvider acls) {
		this.curator = curator;
		this.root = root;
		this.acls = acls;
	}

	/**
	 * Looks once. An answer that is lost says nothing; callers will be notified of the
	 * next one.
	 * @return why no lock can be acquired, or null if nothing is known against it
	 * @throws InterruptedException if interrupted
	 */
	@Nullable ZkLockStartupException problem() throws InterruptedException {
		ZooKeeper zooKeeper = null;
		try {
			zooKeeper = this.curator.getZookeeperClient().getZooKeeper();
			Deque<String> missing = new ArrayDeque<>(List.of(this.root + PROBE));
			Code code = tryToCreate(zooKeeper, missing);
			for (int end = this.root.length(); code == Code.NONODE
					&& end > 0; end = this.root.lastIndexOf('/', end - 1)) {
				missing.push(this.root.substring(0, end));
				code = tryToCreate(zooKeeper, missing);
			}
			this.answered = true;
			return switch (code) {
				case NONODE -> noChroot();
				case QUOTAEXCEEDED -> noQuota();
				case NOAUTH, INVALIDACL, NOCHILDRENFOREPHEMERALS -> refused(code);
				default -> null;
			};
		}
		catch (InterruptedException ex) {
			throw ex;
		}
		catch (Exception ex) {
			log.debug("Nobody knows whether nodes can be created below {}", this.root, ex);
			boolean refused = zooKeeper != null && zooKeeper.getState() == ZooKeeper.States.AUTH_FAILED;
			return (refused || isAboutCredentials(ex)) ? credentialsRefused() : null;
		}
	}

	/**
	 * Returns whether the servers have answered.
	 * @return false if nothing is known, and another look may know more
	 */
	boolean isAnswered() {
		return this.answered;
	}

	private static boolean isAboutCredentials(Exception failure) {
		return failure instanceof KeeperException.AuthFailedException
				|| failure instanceof KeeperException.SessionClosedRequireAuthException;
	}

	private ZkLockStartupException credentialsRefused() {
		return new ZkLockStartupException(
				"The ZooKeeper servers at '%s' refused the credentials of zk-lock.sasl.login-context, or do not know a scheme of zk-lock.auth, so that no lock can be acquired."
					.formatted(this.curator.getZookeeperClient().getCurrentConnectionString()),
				"Check the username and the password, or the ticket, of the section of the JAAS configuration that zk-lock.sasl.login-context names. Servers that require SASL refuse every client that has none.");
	}

	/**
	 * Creates nodes in a transaction that fails at its end.
	 * @param zooKeeper the client
	 * @param paths the nodes, parents first
	 * @return the first code that is not due to that end
	 * @throws KeeperException if there is no answer to the transaction
	 */
	private Code tryToCreate(ZooKeeper zooKeeper, Collection<String> paths)
			throws KeeperException, InterruptedException {
		List<Op> ops = new ArrayList<>();
		paths.forEach(
				(path) -> ops.add(Op.create(path, DATA, ConfiguredAcl.of(this.acls, path), CreateMode.PERSISTENT)));
		ops.add(Op.check(this.root + PROBE + "/%~never", 0));
		try {
			zooKeeper.multi(ops);
			return Code.OK;
		}
		catch (KeeperException ex) {
			if (ex.getResults() == null) {
				throw ex;
			}
			return ex.getResults()
				.subList(0, paths.size())
				.stream()
				.filter(OpResult.ErrorResult.class::isInstance)
				.map((result) -> KeyNodeAccess.code(((OpResult.ErrorResult) result).getErr()))
				.filter((code) -> code != Code.OK && code != Code.RUNTIMEINCONSISTENCY)
				.findFirst()
				.orElse(Code.OK);
		}
	}

	private ZkLockStartupException noChroot() {
		String servers = this.curator.getZookeeperClient().getCurrentConnectionString();
		String chroot = servers.substring(Math.max(0, servers.indexOf('/')));
		return new ZkLockStartupException(
				"The path '%s' at the end of the connect string '%s' does not exist in ZooKeeper, so that no lock can be acquired."
					.formatted(chroot, servers),
				"Create the path, for example by zkCli.sh: create %s. Or remove it from the connect string, and say by zk-lock.root where the locks are to be: that path is created by itself."
					.formatted(chroot));
	}

	private ZkLockStartupException noQuota() {
		return new ZkLockStartupException(
				"The quota of zk-lock.root '%s', or of a node above it, is used up, so that no lock can be acquired."
					.formatted(this.root),
				"Raise the quota (listquota of zkCli.sh shows it; setquota -N sets that of nodes, -B that of bytes), delete what is not needed below the node that has it, or choose another zk-lock.root.");
	}

	private ZkLockStartupException refused(Code code) {
		String problem = "ZooKeeper does not let this client create nodes below zk-lock.root '%s' (%s), so that no lock can be acquired."
			.formatted(this.root, code);
		return new ZkLockStartupException(problem, switch (code) {
			case INVALIDACL ->
				"An ACL is wanted that needs to know this client, and the servers do not: set zk-lock.auth, zk-lock.sasl.login-context or a client certificate, or another zk-lock.acl. If a login is set it may have failed, which logging.level.org.apache.zookeeper.ClientCnxn=warn shows.";
			case NOCHILDRENFOREPHEMERALS ->
				"The node, or one above it, is ephemeral and belongs to another client: choose another zk-lock.root.";
			default ->
				"The node, or the one above it, was made by others or with other credentials. Check the username and the password of zk-lock.auth (a wrong password is another client to ZooKeeper, which refuses it only here), give this client the permissions cdrwa by setAcl, or choose another zk-lock.root.";
		});
	}

}
