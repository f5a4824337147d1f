/**
 * Offers the locks to ShedLock.
 */
@NullMarked
package io.github.zklock.shedlock;

import org.jspecify.annotations.NullMarked;
