/**
 * What runs in the worker processes: threads that lock, check and count.
 */
@NullMarked
package io.github.zklock.benchmarks.worker;

import org.jspecify.annotations.NullMarked;
