package io.github.zklock.cli;

import java.util.Optional;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Parameters;

import io.github.zklock.LockUnavailableException;
import io.github.zklock.inspect.LockQueue;

/**
 * Deletes one lock node.
 */
@Command(name = "release",
		description = "Deletes one lock node: its holder loses the lock, although its work may go on. "
				+ "Only fencing tokens protect from that.")
final class ReleaseCommand extends LockCommand {

	@Parameters(paramLabel = "NODE", description = "The path of the node, as list and show print it")
	String node = "";

	@Override
	int run(LockConnection connection, Printer printer) throws InterruptedException {
		if (!this.node.startsWith(connection.root() + "/")) {
			throw refused("is not below the root '" + connection.root() + "'");
		}
		Optional<LockQueue.Contender> found = TakenKeys.read(connection.inspector())
			.stream()
			.flatMap((queue) -> queue.contenders().stream())
			.filter((contender) -> contender.path().equals(this.node))
			.findFirst();
		if (found.isEmpty() && exists(connection.curator())) {
			throw refused("is no lock node of these keys: nobody holds or waits by it");
		}
		if (found.isEmpty() || !delete(connection.curator())) {
			this.spec.commandLine().getErr().println(Printer.clean("There is no node '" + this.node + "'"));
			return ZkLockCli.NOTHING;
		}
		ContenderReport report = ContenderReport.of(found.get());
		printer.print("Released " + Printer.text(report), report);
		return ExitCode.OK;
	}

	private LockUnavailableException refused(String reason) {
		return new LockUnavailableException("Refused: '" + this.node + "' " + reason);
	}

	private boolean exists(CuratorFramework curator) throws InterruptedException {
		try {
			return curator.checkExists().forPath(this.node) != null;
		}
		catch (InterruptedException ex) {
			throw ex;
		}
		catch (Exception ex) {
			throw new LockUnavailableException("'%s' could not be read: %s".formatted(this.node, ex), ex);
		}
	}

	private boolean delete(CuratorFramework curator) throws InterruptedException {
		try {
			curator.delete().forPath(this.node);
			return true;
		}
		catch (KeeperException.NoNodeException ex) {
			return false;
		}
		catch (InterruptedException ex) {
			throw ex;
		}
		catch (Exception ex) {
			throw new LockUnavailableException("'%s' could not be deleted: %s".formatted(this.node, ex), ex);
		}
	}

}
