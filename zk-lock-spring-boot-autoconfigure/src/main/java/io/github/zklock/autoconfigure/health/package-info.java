/**
 * Wires the health indicator of locks.
 */
@NullMarked
package io.github.zklock.autoconfigure.health;

import org.jspecify.annotations.NullMarked;
