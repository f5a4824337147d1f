/**
 * Shows a contest while it runs, on a page.
 */
@NullMarked
package io.github.zklock.sample.lab;

import org.jspecify.annotations.NullMarked;
