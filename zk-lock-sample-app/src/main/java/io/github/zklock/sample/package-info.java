/**
 * A ticket shop whose stock is guarded by distributed locks.
 */
@NullMarked
package io.github.zklock.sample;

import org.jspecify.annotations.NullMarked;
