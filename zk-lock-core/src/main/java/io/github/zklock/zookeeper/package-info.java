/**
 * Runs the contest for locks in ZooKeeper: the algorithms, the session below them, the
 * client above them.
 */
@NullMarked
package io.github.zklock.zookeeper;

import org.jspecify.annotations.NullMarked;
