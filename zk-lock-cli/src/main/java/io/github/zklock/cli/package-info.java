/**
 * What operators do with locks from a shell, without an application.
 */
@NullMarked
package io.github.zklock.cli;

import org.jspecify.annotations.NullMarked;
