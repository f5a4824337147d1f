/**
 * Mechanism: a serial executor, a timer, deadlines.
 */
@NullMarked
package io.github.zklock.internal.concurrent;

import org.jspecify.annotations.NullMarked;
