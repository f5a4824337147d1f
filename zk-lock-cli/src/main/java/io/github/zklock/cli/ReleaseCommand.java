package io.github.zklock.cli;

import java.util.Optional;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.common.PathUtils;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import io.github.zklock.LockUnavailableException;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.spi.Grant;

/**
 * Deletes one lock node.
 */
@Command(name = "release",
		description = "Deletes one lock node: its holder loses the lock, although its work may go on. "
				+ "Only fencing tokens protect from that.")
final class ReleaseCommand extends LockCommand {

	private static final int MOST_TRIES = 3;

	@Parameters(paramLabel = "NODE", description = "The path of the node, as list and show print it")
	String node = "";

	@Option(names = "--token", paramLabel = "TOKEN",
			description = "Only if the node has this token, as list and show print it: all holders of a naive lock "
					+ "have nodes with the same path")
	@Nullable Long token;

	@Override
	int run(LockConnection connection, Printer printer) throws InterruptedException {
		if (!this.node.startsWith(connection.root() + "/")) {
			throw refused("is not below the root '" + connection.root() + "'");
		}
		checkPath();
		Optional<LockQueue.Contender> found = connection.inspector().contender(this.node);
		if (found.isEmpty() && connection.exists(this.node)) {
			throw refused("is no lock node of these keys: nobody holds or waits by it");
		}
		boolean wanted = found.isPresent() && (this.token == null || found.get().token() == this.token);
		if (!wanted || !delete(connection.curator(), found.get())) {
			String which = (this.token != null) ? "' with token " + this.token : "'";
			complain("There is no node '" + this.node + which);
			return ZkLockCli.NOTHING;
		}
		ContenderReport report = ContenderReport.of(found.get());
		printer.print("Released " + Printer.text(report), report);
		return ExitCode.OK;
	}

	private void checkPath() {
		try {
			PathUtils.validatePath(this.node);
		}
		catch (IllegalArgumentException ex) {
			throw refused("is no path: " + ex.getMessage());
		}
	}

	private LockUnavailableException refused(String reason) {
		return new LockUnavailableException("Refused: '" + this.node + "' " + reason);
	}

	/**
	 * Deletes a node if it is still the one that was read. ZooKeeper cannot delete on
	 * that condition, so between the look and the delete a round trip remains. After a
	 * lost answer it looks again: Curator would delete whatever is there then. Each look
	 * comes after a transaction, so that the server that is asked has seen what was done
	 * before.
	 * @param curator the connection
	 * @param shown what was read
	 * @return false if it is gone, also if another one has its path, unless an answer was
	 * lost to a delete
	 * @throws InterruptedException if interrupted
	 * @throws LockUnavailableException if the servers refuse or give no answer
	 */
	static boolean delete(CuratorFramework curator, LockQueue.Contender shown) throws InterruptedException {
		boolean lost = false;
		try {
			for (int i = 0; i < MOST_TRIES; i++) {
				commit(curator);
				Stat now = curator.checkExists().forPath(shown.path());
				if (now == null || now.getCzxid() * Grant.TOKENS != shown.token()) {
					return lost;
				}
				ZooKeeper handle = curator.getZookeeperClient().getZooKeeper();
				try {
					handle.delete(shown.path(), -1);
					return true;
				}
				catch (KeeperException.ConnectionLossException ex) {
					lost = true;
				}
			}
			throw new KeeperException.ConnectionLossException();
		}
		catch (KeeperException.NoNodeException ex) {
			return lost;
		}
		catch (InterruptedException ex) {
			throw ex;
		}
		catch (Exception ex) {
			String outcome = lost ? "Whether '%s' was deleted is not known: %s" : "'%s' could not be deleted: %s";
			throw new LockUnavailableException(outcome.formatted(shown.path(), ex), ex);
		}
	}

	// It changes nothing, so Curator may repeat it
	private static void commit(CuratorFramework curator) throws Exception {
		try {
			curator.transaction().forOperations(curator.transactionOp().check().forPath("/"));
		}
		catch (KeeperException.NoAuthException ex) {
			// The leader has refused it, after all that was done before
		}
	}

}
