/**
 * What the tests of several modules share: real ZooKeeper servers, and an account of what
 * is left behind. It knows nothing of zk-lock, whose tests use it.
 *
 * <ul>
 * <li>{@link io.github.zklock.testing.TestServers}: one server or three in this process,
 * with a look at their nodes, watches, sessions and counters from inside;
 * {@code TestServers.one()} and {@code TestServers.three()} are shared by all tests of a
 * JVM.</li>
 * <li>{@link io.github.zklock.testing.ServerFixture}: a JUnit extension. Each test gets a
 * root path of its own and hands over the clients that it makes. A test ends with
 * everything released; afterwards it fails if a node, a watch (the servers' or the
 * client's), an engine thread or a line logged as warning that the test did not
 * {@linkplain io.github.zklock.testing.ServerFixture#announce announce} is left.</li>
 * <li>{@link io.github.zklock.testing.Actor}: a thread that makes blocking calls and can
 * be interrupted; owners are threads, so a second owner needs one.</li>
 * </ul>
 */
package io.github.zklock.testing;
