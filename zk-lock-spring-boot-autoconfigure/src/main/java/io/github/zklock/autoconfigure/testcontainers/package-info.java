/**
 * Connects to a ZooKeeper server that Testcontainers runs.
 */
@NullMarked
package io.github.zklock.autoconfigure.testcontainers;

import org.jspecify.annotations.NullMarked;
