/**
 * A small application on Spring Boot 3.5.
 */
@NullMarked
package io.github.zklock.boot3;

import org.jspecify.annotations.NullMarked;
