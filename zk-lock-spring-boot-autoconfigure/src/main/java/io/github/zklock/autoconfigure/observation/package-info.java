/**
 * Wires the observations of locks.
 */
@NullMarked
package io.github.zklock.autoconfigure.observation;

import org.jspecify.annotations.NullMarked;
