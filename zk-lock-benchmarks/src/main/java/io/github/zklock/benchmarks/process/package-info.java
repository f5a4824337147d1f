/**
 * Servers and workers as processes of their own.
 */
@NullMarked
package io.github.zklock.benchmarks.process;

import org.jspecify.annotations.NullMarked;
