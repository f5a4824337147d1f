/**
 * Wires the locks into ShedLock.
 */
@NullMarked
package io.github.zklock.autoconfigure.shedlock;

import org.jspecify.annotations.NullMarked;
