/**
 * What the author of a lock strategy needs.
 */
@NullMarked
package io.github.zklock.spi;

import org.jspecify.annotations.NullMarked;
