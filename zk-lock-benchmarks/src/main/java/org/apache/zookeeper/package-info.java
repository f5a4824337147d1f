/**
 * What a benchmark counts inside of ZooKeeper's client, where nothing is public.
 */
package org.apache.zookeeper;
