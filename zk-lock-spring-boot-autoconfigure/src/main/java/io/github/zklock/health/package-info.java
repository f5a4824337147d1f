/**
 * Reports to Spring Boot how healthy the lock client is.
 */
@NullMarked
package io.github.zklock.health;

import org.jspecify.annotations.NullMarked;
