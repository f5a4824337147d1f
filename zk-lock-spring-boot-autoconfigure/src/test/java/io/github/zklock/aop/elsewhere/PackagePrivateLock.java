package io.github.zklock.aop.elsewhere;

import io.github.zklock.DistributedLock;

/**
 * Has a locked method that no class of another package overrides.
 */
public class PackagePrivateLock {

	@DistributedLock(key = "package-private")
	void run() {
		// Never
	}

}
