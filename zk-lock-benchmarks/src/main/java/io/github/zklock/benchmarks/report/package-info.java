/**
 * Tables, plots and goals made of what was measured.
 */
@NullMarked
package io.github.zklock.benchmarks.report;

import org.jspecify.annotations.NullMarked;
