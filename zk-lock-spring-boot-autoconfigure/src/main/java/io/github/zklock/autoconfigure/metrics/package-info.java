/**
 * Wires the metrics of locks.
 */
@NullMarked
package io.github.zklock.autoconfigure.metrics;

import org.jspecify.annotations.NullMarked;
