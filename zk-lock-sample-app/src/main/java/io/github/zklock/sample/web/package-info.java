/**
 * Says what went wrong in the form of RFC 9457.
 */
@NullMarked
package io.github.zklock.sample.web;

import org.jspecify.annotations.NullMarked;
