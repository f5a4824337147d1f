/**
 * The local callers of one key, who share one contender and hand its grant off. It knows
 * no ZooKeeper.
 */
@NullMarked
package io.github.zklock.internal.cohort;

import org.jspecify.annotations.NullMarked;
