/**
 * One contender in ZooKeeper: how its nodes are made, wait, are granted and are removed.
 */
@NullMarked
package io.github.zklock.internal.contender;

import org.jspecify.annotations.NullMarked;
