/**
 * The locks that are compared, each at its best usage.
 */
@NullMarked
package io.github.zklock.benchmarks.peer;

import org.jspecify.annotations.NullMarked;
