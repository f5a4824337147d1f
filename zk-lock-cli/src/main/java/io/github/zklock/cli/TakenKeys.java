package io.github.zklock.cli;

import java.util.List;

import io.github.zklock.inspect.LockInspector;
import io.github.zklock.inspect.LockQueue;

/**
 * Reads all keys that are held or wanted.
 */
final class TakenKeys {

	private static final int AT_ONCE = 1000;

	private TakenKeys() {
	}

	static List<LockQueue> read(LockInspector inspector) {
		return read(inspector, AT_ONCE);
	}

	// On one page: a key could be on none of several, if another is released between them
	static List<LockQueue> read(LockInspector inspector, int atOnce) {
		LockInspector.Page page = inspector.keys(0, atOnce);
		while (page.total() > page.size()) {
			page = inspector.keys(0, page.total() + atOnce);
		}
		return page.lines();
	}

}
