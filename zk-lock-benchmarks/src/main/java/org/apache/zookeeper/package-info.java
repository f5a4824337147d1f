/**
 * What a benchmark counts inside of ZooKeeper's client, where nothing is public.
 */
@NullMarked
package org.apache.zookeeper;

import org.jspecify.annotations.NullMarked;
