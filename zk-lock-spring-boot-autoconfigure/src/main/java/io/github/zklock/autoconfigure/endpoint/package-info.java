/**
 * Wires the actuator's endpoint.
 */
@NullMarked
package io.github.zklock.autoconfigure.endpoint;

import org.jspecify.annotations.NullMarked;
