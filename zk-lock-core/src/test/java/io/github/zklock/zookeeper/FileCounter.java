package io.github.zklock.zookeeper;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;

import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;

/**
 * Counts in a file, as unsafely as can be: reads, adds one, writes. The program does so
 * many times under a lock, or under none.
 */
public final class FileCounter {

	static final String NO_LOCK = "none";

	private final Path file;

	FileCounter(Path file) {
		this.file = file;
	}

	int read() throws IOException {
		return ByteBuffer.wrap(Files.readAllBytes(this.file)).getInt();
	}

	void write(int value) throws IOException {
		Files.write(this.file, ByteBuffer.allocate(Integer.BYTES).putInt(value).array(), StandardOpenOption.CREATE,
				StandardOpenOption.WRITE);
	}

	void increment() throws IOException {
		int value = read();
		write(value + 1);
	}

	/**
	 * Says "ready" when it is connected, and begins when it is told to.
	 */
	public static void main(String[] arguments) throws Exception {
		String connectString = arguments[0];
		String root = arguments[1];
		String strategy = arguments[2];
		FileCounter counter = new FileCounter(Path.of(arguments[3]));
		int rounds = Integer.parseInt(arguments[4]);
		try (CuratorFramework curator = CuratorFrameworkFactory.builder()
			.connectString(connectString)
			.sessionTimeoutMs((int) Duration.ofMinutes(1).toMillis())
			.retryPolicy(new RetryOneTime(50))
			.build()) {
			curator.start();
			curator.blockUntilConnected();
			try (ZooKeeperLockClient client = ZooKeeperLockClient.builder(curator)
				.root(root)
				.timeout(Duration.ofSeconds(60))
				.build()) {
				System.out.println("ready");
				System.in.read();
				for (int i = 0; i < rounds; i++) {
					if (strategy.equals(NO_LOCK)) {
						counter.increment();
						continue;
					}
					try (LockHandle handle = client
						.acquire(LockRequest.exclusive(counter.file.getFileName().toString()).strategy(strategy))) {
						counter.increment();
						if (!handle.isHeld()) {
							throw new IllegalStateException("Lost the lock");
						}
					}
				}
			}
		}
	}

}
