/**
 * Traces locks with Micrometer's observations.
 */
@NullMarked
package io.github.zklock.observation;

import org.jspecify.annotations.NullMarked;
