/**
 * Helps users to test code that takes locks.
 */
@NullMarked
package io.github.zklock.test;

import org.jspecify.annotations.NullMarked;
