/**
 * Servers, clients and networks for tests that need more than one process: a launcher,
 * free ports, ZooKeeper servers, and what breaks them. Knows neither zk-lock nor JUnit.
 */
@NullMarked
package io.github.zklock.harness;

import org.jspecify.annotations.NullMarked;
