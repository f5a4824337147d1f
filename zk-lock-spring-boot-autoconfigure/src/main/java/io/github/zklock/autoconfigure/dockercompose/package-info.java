/**
 * Connects to a ZooKeeper server that Docker Compose runs.
 */
@NullMarked
package io.github.zklock.autoconfigure.dockercompose;

import org.jspecify.annotations.NullMarked;
