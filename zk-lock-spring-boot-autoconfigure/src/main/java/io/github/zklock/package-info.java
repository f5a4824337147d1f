/**
 * What users import: the annotation, the client, requests, handles, modes, exceptions,
 * the strategy SPI with the listener SPI.
 */
@NullMarked
package io.github.zklock;

import org.jspecify.annotations.NullMarked;
