/**
 * Lets many clients contend for one event and tells what happened.
 */
@NullMarked
package io.github.zklock.sample.contest;

import org.jspecify.annotations.NullMarked;
