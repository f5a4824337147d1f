/**
 * Lets many clients contend for one event and reports what happened.
 */
@NullMarked
package io.github.zklock.sample.contest;

import org.jspecify.annotations.NullMarked;
