/**
 * Names, paths, encodings, identity, and the order of a queue: values.
 */
@NullMarked
package io.github.zklock.internal.node;

import org.jspecify.annotations.NullMarked;
