/**
 * Runs the shop as three instances on three servers while the leader dies.
 */
@NullMarked
package io.github.zklock.drill;

import org.jspecify.annotations.NullMarked;
