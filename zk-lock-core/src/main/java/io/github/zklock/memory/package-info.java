/**
 * A lock client without a server: for tests, and for one instance in development.
 */
@NullMarked
package io.github.zklock.memory;

import org.jspecify.annotations.NullMarked;
