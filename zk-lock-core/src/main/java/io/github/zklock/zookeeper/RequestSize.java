package io.github.zklock.zookeeper;

import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;

import org.apache.jute.BinaryOutputArchive;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.common.ZKConfig;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.proto.RequestHeader;

import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.internal.client.RequestRules;
import io.github.zklock.internal.node.ClientIdentity;
import io.github.zklock.internal.session.LockPaths;

/**
 * How large a request may be. Its nodes are made by one transaction, and one that is
 * larger than the servers allow ends the connection of all callers.
 *
 * @param maxKeys how many keys it may have
 * @param paths where the nodes are
 * @param identity what they carry
 * @param servers the connect string
 */
record RequestSize(int maxKeys, LockPaths paths, ClientIdentity identity, Supplier<String> servers) {

	private static final int MAX_BYTES = Integer.getInteger(ZKConfig.JUTE_MAXBUFFER, 0xfffff);

	/** A nested key's path has some 8,000 bytes at most, and a node's data as many. */
	private static final int FEW = 32;

	/** The name of a lock node, and what comes before a path, data and an ACL. */
	private static final int CREATE = 96;

	/** What comes before the two texts of an ACL's entry. */
	private static final int ENTRY = 12;

	/**
	 * Refuses a request of the current thread that is too large, or has a key that cannot
	 * have a node.
	 * @param keys its keys
	 * @throws IllegalArgumentException if it is, with its size and the bound, or has
	 */
	void check(List<String> keys) {
		RequestRules.checkCount(keys, this.maxKeys);
		keys.forEach(this.paths::check);
		if (keys.size() > FEW || MAX_BYTES < 0xfffff) {
			long bytes = bytes(keys);
			if (bytes > MAX_BYTES) {
				throw new IllegalArgumentException(
						"A lock request may have at most %d bytes, but this one has %d keys in up to %d bytes (jute.maxbuffer of this JVM and of the servers)"
							.formatted(MAX_BYTES, keys.size(), bytes));
			}
		}
	}

	/**
	 * Refuses a transaction that is too large.
	 * @param transaction its operations
	 * @param chroot what ZooKeeper's client puts before each path; may be empty
	 * @throws IllegalArgumentException if it is, with its size and the bound
	 */
	static void checkTransaction(List<Op> transaction, String chroot) {
		DataOutputStream counting = new DataOutputStream(OutputStream.nullOutputStream());
		try {
			new RequestHeader(0, OpCode.multi).serialize(new BinaryOutputArchive(counting), "header");
			new MultiOperationRecord(transaction).serialize(new BinaryOutputArchive(counting), "request");
		}
		catch (IOException ex) {
			throw new IllegalArgumentException("A transaction that cannot be written", ex);
		}
		long bytes = counting.size() + utf8(chroot) * (long) transaction.size();
		if (bytes > MAX_BYTES) {
			throw new IllegalArgumentException(
					"A transaction may have at most %d bytes, but this one has %d (jute.maxbuffer of this JVM and of the servers)"
						.formatted(MAX_BYTES, bytes));
		}
	}

	private long bytes(List<String> keys) {
		byte[] content = this.identity.describe(new UUID(0, 0).toString(), LockMode.EXCLUSIVE, LockRequest.MAX_PERMITS,
				Thread.currentThread().getName(), true, Long.MAX_VALUE);
		long each = (long) CREATE + content.length;
		for (ACL entry : this.paths.aclOf(keys.get(0))) {
			each += ENTRY + utf8(entry.getId().getScheme()) + utf8(entry.getId().getId());
		}
		// One more is made and deleted: the node that gives the transaction its number
		long bytes = (keys.size() + 1) * each + (keys.size() + 2L) * utf8(LockPaths.chroot(this.servers.get()));
		for (String key : keys) {
			bytes += utf8(this.paths.keyNode(key));
		}
		return bytes;
	}

	private static int utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8).length;
	}

}
