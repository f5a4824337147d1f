/**
 * Counts and times locks with Micrometer.
 */
@NullMarked
package io.github.zklock.metrics;

import org.jspecify.annotations.NullMarked;
