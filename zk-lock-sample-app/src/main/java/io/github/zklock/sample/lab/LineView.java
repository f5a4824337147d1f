package io.github.zklock.sample.lab;

import java.util.List;

import io.github.zklock.sample.contest.LineWatch.Standing;

/**
 * The queue of the key as ZooKeeper has it.
 *
 * @param standing who stands there, the holder first; only the first ones
 * @param total how many there are
 */
record LineView(List<String> standing, int total) {

	private static final int MAX_STANDING = 60;

	static LineView of(List<Standing> line) {
		return new LineView(line.stream().limit(MAX_STANDING).map(Standing::who).toList(), line.size());
	}

}
