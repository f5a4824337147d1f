/**
 * Offers the locks to Spring Integration.
 */
@NullMarked
package io.github.zklock.integration;

import org.jspecify.annotations.NullMarked;
