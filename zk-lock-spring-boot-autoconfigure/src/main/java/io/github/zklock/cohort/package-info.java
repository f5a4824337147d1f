/**
 * Lines up the local callers that want one key.
 */
@NullMarked
package io.github.zklock.cohort;

import org.jspecify.annotations.NullMarked;
