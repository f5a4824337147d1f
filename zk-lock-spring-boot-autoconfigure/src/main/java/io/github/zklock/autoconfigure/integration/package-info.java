/**
 * Wires the locks into Spring Integration.
 */
@NullMarked
package io.github.zklock.autoconfigure.integration;

import org.jspecify.annotations.NullMarked;
