package io.github.zklock.sample.contest;

import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

import org.apache.curator.framework.CuratorFramework;
import org.springframework.stereotype.Service;

import io.github.zklock.DistributedLock;
import io.github.zklock.sample.shop.BoxOffice;

/**
 * Runs contests, one at a time in all instances, because they would disturb each other's
 * numbers.
 */
@Service
public class Contests {

	private final CuratorFramework curator;

	private final BoxOffice boxOffice;

	Contests(CuratorFramework curator, BoxOffice boxOffice) {
		this.curator = curator;
		this.boxOffice = boxOffice;
	}

	@DistributedLock(key = "contest", timeout = "0")
	ContestReport run(ContestSpec spec) throws InterruptedException {
		String id = "contest-" + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
		String servers = this.curator.getZookeeperClient().getCurrentConnectionString();
		return new Contest(id, spec, this.boxOffice, servers).run();
	}

}
