/**
 * Workloads and rounds: who is measured when, and what came out.
 */
@NullMarked
package io.github.zklock.benchmarks.run;

import org.jspecify.annotations.NullMarked;
