/**
 * What an application imports: the annotation, the client, requests, handles, modes,
 * exceptions and listeners.
 */
@NullMarked
package io.github.zklock;

import org.jspecify.annotations.NullMarked;
