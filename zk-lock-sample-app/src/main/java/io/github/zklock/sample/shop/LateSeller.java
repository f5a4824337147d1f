package io.github.zklock.sample.shop;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.zookeeper.ZooKeeperLockClient;

/**
 * Sells as a process does that is paused for longer than its session lasts: it reads the
 * stock under the lock, another one gets the lock and sells, and then it writes what it
 * does not know to be old. Every part is real but the pause: the session of its own ends
 * because its connection is closed.
 */
@Service
@Profile("lab")
class LateSeller {

	private final CuratorFramework shared;

	private final BoxOffice boxOffice;

	private final NextSeller next;

	private final String root;

	private final String keyPrefix;

	LateSeller(CuratorFramework shared, BoxOffice boxOffice, NextSeller next,
			@Value("${zk-lock.root:/zk-lock}") String root, @Value("${zk-lock.key-prefix:}") String keyPrefix) {
		this.shared = shared;
		this.boxOffice = boxOffice;
		this.next = next;
		this.root = root;
		this.keyPrefix = keyPrefix;
	}

	/**
	 * Sells late, one at a time.
	 * @param order what is wanted; another buyer wants the same meanwhile
	 * @param fenced whether the database is shown the fencing token
	 * @return the receipt, for the tickets that the other buyer has too
	 * @throws LateWriteException if the database noticed
	 * @throws InterruptedException if interrupted
	 */
	@DistributedLock(key = "late-orders", timeout = "${shop.lock-timeout}")
	@Transactional
	Receipt order(Order order, boolean fenced) throws InterruptedException {
		String servers = this.shared.getZookeeperClient().getCurrentConnectionString();
		try (CuratorFramework session = CuratorFrameworkFactory.newClient(servers, new RetryOneTime(100))) {
			session.start();
			try (LockClient locks = ZooKeeperLockClient.builder(session)
				.root(this.root)
				.keyPrefix(this.keyPrefix)
				.build()) {
				LockHandle lock = locks
					.acquire(LockRequest.exclusive("event:" + order.eventId()).timeout(Duration.ofSeconds(5)));
				long token = lock.fencingToken();
				List<Integer> tickets = this.boxOffice.sell(order, () -> sleepTooLong(session, order),
						fenced ? OptionalLong.of(token) : OptionalLong.empty());
				return new Receipt(order.eventId(), order.buyer(), tickets, token);
			}
		}
	}

	private void sleepTooLong(CuratorFramework session, Order order) throws InterruptedException {
		session.close();
		this.next.sell(new Order(order.eventId(), "the next one", order.quantity()));
	}

}
