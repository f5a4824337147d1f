package io.github.zklock.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;

import io.github.zklock.testing.ServerFixture;
import io.github.zklock.testing.TestServers;
import io.github.zklock.zookeeper.ZooKeeperLockClient;

import static org.awaitility.Awaitility.await;

/**
 * Runs commands of the command line, and opens the lock clients of those whose locks they
 * look at.
 */
final class CliFixture extends ServerFixture {

	static final Duration PATIENCE = Duration.ofSeconds(30);

	CliFixture() {
		super(TestServers::one);
	}

	ZooKeeperLockClient client(String instance) {
		CuratorFramework curator = curator(SESSION);
		return closing(ZooKeeperLockClient.builder(curator)
			.root(root())
			.application("shop")
			.instance(instance)
			.timeout(PATIENCE)
			.build(), curator);
	}

	String[] here(String... args) {
		List<String> all = new ArrayList<>(Arrays.asList(args));
		all.addAll(List.of("--connect-string", servers().connectString(), "--root", root()));
		return all.toArray(String[]::new);
	}

	CliRun run(String... args) {
		return CliRun.of(here(args));
	}

	CuratorFramework connection() {
		return CuratorFrameworkFactory.newClient(servers().connectString(), new RetryOneTime(50));
	}

	void awaitAskable(int count) {
		try (CuratorFramework curator = curator(SESSION)) {
			String parent = root() + "/%~asks";
			// The servers remove the parent when it is empty
			await().until(() -> count == ((curator.checkExists().forPath(parent) != null)
					? curator.getChildren().forPath(parent).size() : 0));
		}
	}

}
