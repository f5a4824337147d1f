package io.github.zklock.faults;

import java.lang.reflect.Method;

import io.github.zklock.LockClient;
import io.github.zklock.zookeeper.ZooKeeperLockClient;

/**
 * Looks into a lock client.
 */
final class OpenCount {

	private OpenCount() {
	}

	static int of(LockClient client) {
		try {
			Method method = ZooKeeperLockClient.class.getDeclaredMethod("openCount");
			method.setAccessible(true);
			return (int) method.invoke(client);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
