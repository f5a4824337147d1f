/**
 * Gives tests real ZooKeeper servers, lock clients that are closed for them, and an
 * account of what is left behind.
 *
 * <ul>
 * <li>{@link io.github.zklock.testing.TestServers}: one server or three in this process,
 * with a look at their nodes, watches, sessions and counters from inside;
 * {@code TestServers.one()} and {@code TestServers.three()} are shared by all tests of a
 * JVM.</li>
 * <li>{@link io.github.zklock.testing.ZooKeeperFixture}: a JUnit extension. Each test
 * gets a root path of its own and opens clients with
 * {@link io.github.zklock.testing.ZooKeeperFixture#client()}. A test ends with everything
 * released; afterwards it fails if a node, a watch (the servers' or the client's), an
 * entry in a client's maps, an engine thread or a line logged as warning that the test
 * did not {@linkplain io.github.zklock.testing.ZooKeeperFixture#announce announce} is
 * left.</li>
 * <li>{@link io.github.zklock.testing.Actor}: a thread that makes blocking calls and can
 * be interrupted; owners are threads, so a second owner needs one.</li>
 * <li>{@link io.github.zklock.testing.Section}: what a lock guards; knows whether two
 * were in it at once, whether an update was lost and whether a fencing token went
 * backwards. {@link io.github.zklock.testing.Contest} sends many callers through it.</li>
 * <li>{@link io.github.zklock.testing.InMemoryLockClient}: a lock client without any
 * server, where the protocol does not matter.</li>
 * </ul>
 */
package io.github.zklock.testing;
