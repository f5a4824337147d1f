package io.github.zklock.zookeeper;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.utils.ZookeeperFactory;
import org.apache.zookeeper.AsyncCallback.VoidCallback;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;

import io.github.zklock.internal.session.Lease;

/**
 * What a lock client believes its lease by: the rule that we have, and rules that must be
 * found wrong.
 */
public enum LeaseRule {

	/** Two receipts and a transaction in a row. */
	RECEIPTS {

		@Override
		Lease lease(LongSupplier clock, long sessionNanos, long touchedSince) {
			return new Lease(clock, sessionNanos, touchedSince);
		}

	},

	/**
	 * The rule that was released first: an answered request and a later transaction. The
	 * only regular request of an idle client was a read then.
	 */
	READS {

		@Override
		Lease lease(LongSupplier clock, long sessionNanos, long touchedSince) {
			return new LeaseByReads(clock, sessionNanos, touchedSince);
		}

		@Override
		ZooKeeper connect(String connectString, int sessionMillis, Watcher watcher, boolean readOnly,
				ZKClientConfig config) throws Exception {
			return new ReadingZooKeeper(connectString, sessionMillis, watcher, readOnly, config);
		}

	},

	/** A transaction alone. */
	TRANSACTIONS {

		@Override
		Lease lease(LongSupplier clock, long sessionNanos, long touchedSince) {
			return new LeaseByTransactions(clock, sessionNanos, touchedSince);
		}

	},

	/**
	 * The lease is valid as long as nobody says that the session has ended. Idle clients
	 * only read.
	 */
	ALWAYS_VALID {

		@Override
		Lease lease(LongSupplier clock, long sessionNanos, long touchedSince) {
			return new EndlessLease(clock, sessionNanos, touchedSince);
		}

		@Override
		ZooKeeper connect(String connectString, int sessionMillis, Watcher watcher, boolean readOnly,
				ZKClientConfig config) throws Exception {
			return READS.connect(connectString, sessionMillis, watcher, readOnly, config);
		}

	};

	abstract Lease lease(LongSupplier clock, long sessionNanos, long touchedSince);

	ZooKeeper connect(String connectString, int sessionMillis, Watcher watcher, boolean readOnly, ZKClientConfig config)
			throws Exception {
		return new ZooKeeper(connectString, sessionMillis, watcher, readOnly, config);
	}

	/**
	 * Lets connections send what clients with this rule send.
	 * @param curators makes the Curator client of the lock client
	 * @return the same
	 */
	public CuratorFrameworkFactory.Builder apply(CuratorFrameworkFactory.Builder curators) {
		return curators.zookeeperFactory(new Connections(this));
	}

	/**
	 * Lets a lock client believe by this rule.
	 * @param clients makes the lock client
	 */
	public void apply(ZooKeeperLockClient.Builder clients) {
		clients.sessions().leases(this::lease);
	}

	private record Connections(LeaseRule rule) implements ZookeeperFactory {

		@Override
		public ZooKeeper newZooKeeper(String connectString, int sessionMillis, Watcher watcher, boolean readOnly)
				throws Exception {
			return newZooKeeper(connectString, sessionMillis, watcher, readOnly, new ZKClientConfig());
		}

		@Override
		public ZooKeeper newZooKeeper(String connectString, int sessionMillis, Watcher watcher, boolean readOnly,
				ZKClientConfig config) throws Exception {
			return this.rule.connect(connectString, sessionMillis, watcher, readOnly, config);
		}

	}

	/** Reads where it is asked for a sync. */
	private static final class ReadingZooKeeper extends ZooKeeper {

		ReadingZooKeeper(String connectString, int sessionMillis, Watcher watcher, boolean readOnly,
				ZKClientConfig config) throws Exception {
			super(connectString, sessionMillis, watcher, readOnly, config);
		}

		@Override
		public void sync(String path, VoidCallback callback, Object context) {
			exists(path, null, (rc, given, same, stat) -> callback.processResult(rc, given, same), context);
		}

	}

	/** The former rule, as it was but for its names. */
	private static final class LeaseByReads extends Lease {

		private final LongSupplier clock;

		private final long sessionNanos;

		private long until;

		private long touched;

		private Answered candidate;

		LeaseByReads(LongSupplier clock, long sessionNanos, long touchedSince) {
			super(clock, sessionNanos, touchedSince);
			this.clock = clock;
			this.sessionNanos = sessionNanos;
			this.until = clock.getAsLong();
			this.touched = touchedSince;
		}

		@Override
		public synchronized void received(long sentAt) {
			Answered earlier = this.candidate;
			if (earlier != null && sentAt - earlier.at >= this.sessionNanos / 8) {
				lost(earlier.sentAt);
				this.candidate = null;
			}
			if (this.candidate == null) {
				this.candidate = new Answered(sentAt, this.clock.getAsLong());
			}
		}

		@Override
		public synchronized void lost(long sentAt) {
			this.touched = (sentAt - this.touched > 0) ? sentAt : this.touched;
		}

		@Override
		public synchronized void confirm(long sentAt) {
			received(sentAt);
			long ends = sentAt + Math.min(this.touched - sentAt + this.sessionNanos / 6 * 5, this.sessionNanos / 3 * 2);
			this.until = (ends - this.until > 0) ? ends : this.until;
		}

		@Override
		public synchronized long remaining() {
			return this.until - this.clock.getAsLong();
		}

		@Override
		public boolean isAging() {
			return false;
		}

		private record Answered(long sentAt, long at) {
		}

	}

	private static final class LeaseByTransactions extends Lease {

		private final LongSupplier clock;

		private final long sessionNanos;

		private long until;

		LeaseByTransactions(LongSupplier clock, long sessionNanos, long touchedSince) {
			super(clock, sessionNanos, touchedSince);
			this.clock = clock;
			this.sessionNanos = sessionNanos;
			this.until = clock.getAsLong();
		}

		@Override
		public synchronized void confirm(long sentAt) {
			long ends = sentAt + this.sessionNanos / 6 * 5;
			this.until = (ends - this.until > 0) ? ends : this.until;
		}

		@Override
		public synchronized long remaining() {
			return this.until - this.clock.getAsLong();
		}

	}

	private static final class EndlessLease extends Lease {

		EndlessLease(LongSupplier clock, long sessionNanos, long touchedSince) {
			super(clock, sessionNanos, touchedSince);
		}

		@Override
		public long remaining() {
			return TimeUnit.SECONDS.toNanos(1);
		}

		@Override
		public boolean isAging() {
			return false;
		}

	}

}
