package io.github.zklock.sample.lab;

import java.util.List;

import io.github.zklock.sample.contest.QueueObserver.QueuedNode;

/**
 * The queue of the key as ZooKeeper has it.
 *
 * @param standing who is there, the holder first; only the first ones
 * @param total how many there are
 */
record QueueView(List<String> standing, int total) {

	private static final int MAX_SHOWN = 60;

	static QueueView of(List<QueuedNode> queue) {
		return new QueueView(queue.stream().limit(MAX_SHOWN).map(QueuedNode::who).toList(), queue.size());
	}

}
