package io.github.zklock.sample.contest;

import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

import org.apache.curator.framework.CuratorFramework;
import org.springframework.stereotype.Service;

import io.github.zklock.DistributedLock;
import io.github.zklock.sample.contest.Contest.KeyNode;
import io.github.zklock.sample.shop.BoxOffice;

/**
 * Runs contests, one at a time in all instances, because they would disturb each other's
 * numbers.
 */
@Service
public class Contests {

	/** Who runs a contest holds it. */
	public static final String KEY = "contest";

	/** Below it are the keys of contests, apart from those of the shop. */
	private static final String ROOT = "/zk-lock-contests";

	private final CuratorFramework curator;

	private final BoxOffice boxOffice;

	Contests(CuratorFramework curator, BoxOffice boxOffice) {
		this.curator = curator;
		this.boxOffice = boxOffice;
	}

	@DistributedLock(key = KEY, timeout = "1s")
	ContestReport run(ContestSpec spec) throws InterruptedException {
		String id = newId();
		return new Contest(id, keyNode(ROOT, id), spec, this.boxOffice, new ContestProgress()).run();
	}

	/**
	 * Runs a contest for a key that others may want too. The caller holds {@link #KEY}.
	 * @param id the contest's id
	 * @param root the path that has the locks below it
	 * @param key the key as ZooKeeper has it, of ASCII letters
	 * @param spec what the contest is like
	 * @param progress is notified of how far it is
	 * @return what happened
	 * @throws InterruptedException if interrupted; the clients have left
	 */
	public ContestReport run(String id, String root, String key, ContestSpec spec, ContestProgress progress)
			throws InterruptedException {
		return new Contest(id, keyNode(root, key), spec, this.boxOffice, progress).run();
	}

	/**
	 * Makes an id for a contest.
	 * @return the id
	 */
	public static String newId() {
		return "contest-" + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
	}

	private KeyNode keyNode(String root, String key) {
		return new KeyNode(this.curator.getZookeeperClient().getCurrentConnectionString(), root, key);
	}

}
