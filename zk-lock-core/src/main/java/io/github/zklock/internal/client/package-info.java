/**
 * How a request becomes a handle: re-entry, several keys, deadlines, events. It knows no
 * ZooKeeper.
 */
@NullMarked
package io.github.zklock.internal.client;

import org.jspecify.annotations.NullMarked;
