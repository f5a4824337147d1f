/**
 * Shows locks, and takes them away, by an endpoint of Spring Boot's actuator.
 */
@NullMarked
package io.github.zklock.actuate.endpoint;

import org.jspecify.annotations.NullMarked;
