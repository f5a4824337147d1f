/**
 * Turns a call of an annotated method into a lock request and back into a result.
 */
@NullMarked
package io.github.zklock.aop;

import org.jspecify.annotations.NullMarked;
