package io.github.zklock.sample.lab;

import java.util.HexFormat;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;

import org.springframework.stereotype.Component;

import io.github.zklock.autoconfigure.ZkLockProperties;

/**
 * The key that all in the lab want.
 */
@Component
class LabKey {

	/*-
	 * A sequential contest leaves its key node behind, until the servers remove it. A naive
	 * contender that finds a key node joins its queue, and there would be no herd to see. So
	 * each contest has a key that was not used before.
	 */

	private final String root;

	private final String prefix;

	private String key = next();

	LabKey(ZkLockProperties properties) {
		this.root = properties.getRoot();
		this.prefix = Objects.requireNonNullElse(properties.getKeyPrefix(), "");
	}

	private static String next() {
		return "lab-" + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
	}

	synchronized String current() {
		return this.key;
	}

	synchronized void renew() {
		this.key = next();
	}

	/**
	 * Returns the key as clients see it that have no prefix.
	 * @return the key with its prefix
	 */
	String inZooKeeper() {
		return this.prefix + current();
	}

	String root() {
		return this.root;
	}

	String path() {
		return this.root + "/" + inZooKeeper();
	}

}
