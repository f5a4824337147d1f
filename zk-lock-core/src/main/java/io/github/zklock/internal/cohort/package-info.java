/**
 * The local callers of one key, who share one contender and pass its grant on. It knows
 * no ZooKeeper.
 */
@NullMarked
package io.github.zklock.internal.cohort;

import org.jspecify.annotations.NullMarked;
