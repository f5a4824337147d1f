/**
 * Measures the locks beside others and writes down what was seen.
 */
@NullMarked
package io.github.zklock.benchmarks;

import org.jspecify.annotations.NullMarked;
