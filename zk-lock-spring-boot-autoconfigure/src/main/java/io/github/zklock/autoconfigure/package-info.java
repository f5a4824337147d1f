/**
 * Wires the lock client into a Spring Boot application.
 */
@NullMarked
package io.github.zklock.autoconfigure;

import org.jspecify.annotations.NullMarked;
