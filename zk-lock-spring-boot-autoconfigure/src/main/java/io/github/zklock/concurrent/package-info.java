/**
 * Runs the steps of one state machine one at a time, on whichever thread brings them.
 */
@NullMarked
package io.github.zklock.concurrent;

import org.jspecify.annotations.NullMarked;
