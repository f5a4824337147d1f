/**
 * Locks in ZooKeeper: the algorithms, the sessions below them, the client above them.
 */
@NullMarked
package io.github.zklock.zookeeper;

import org.jspecify.annotations.NullMarked;
