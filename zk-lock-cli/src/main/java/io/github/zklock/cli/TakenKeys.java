package io.github.zklock.cli;

import java.util.ArrayList;
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

	static List<LockQueue> read(LockInspector inspector, int atOnce) {
		LockInspector.Page page = inspector.keys(0, atOnce);
		List<LockQueue> all = new ArrayList<>(page.lines());
		while ((page.page() + 1L) * atOnce < page.total()) {
			page = inspector.keys(page.page() + 1, atOnce);
			all.addAll(page.lines());
		}
		return all;
	}

}
