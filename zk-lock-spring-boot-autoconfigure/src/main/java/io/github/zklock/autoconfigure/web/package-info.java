/**
 * Wires what web applications answer.
 */
@NullMarked
package io.github.zklock.autoconfigure.web;

import org.jspecify.annotations.NullMarked;
