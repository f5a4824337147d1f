package io.github.zklock.zookeeper;

import java.io.IOException;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;

import io.github.zklock.LeaderElection;
import io.github.zklock.LockClient;
import io.github.zklock.testing.ServerFixture;

/**
 * Leads until it is killed, or asked to leave by a line on its standard input.
 */
final class LeadingJvm {

	static final String ELECTION = "reports";

	private LeadingJvm() {
	}

	/**
	 * Leads.
	 * @param arguments the servers, the root
	 * @throws IOException if the standard input cannot be read
	 */
	public static void main(String[] arguments) throws IOException {
		try (CuratorFramework curator = CuratorFrameworkFactory.newClient(arguments[0],
				(int) ServerFixture.SESSION.toMillis(), 5000, new RetryOneTime(100))) {
			curator.start();
			try (LockClient client = ZooKeeperLockClient.builder(curator).root(arguments[1]).build();
					LeaderElection election = LeaderElection.of(client, ELECTION, new LeaderElection.Listener() {
						@Override
						public void granted(long term) {
							System.out.println(term);
						}
					})) {
				election.stand();
				if (System.in.read() >= 0) {
					election.withdraw().join();
				}
			}
		}
	}

}
