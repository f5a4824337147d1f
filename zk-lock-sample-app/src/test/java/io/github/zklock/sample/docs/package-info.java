/**
 * The code that the pages in {@code docs} show, and its tests.
 */
@NullMarked
package io.github.zklock.sample.docs;

import org.jspecify.annotations.NullMarked;
