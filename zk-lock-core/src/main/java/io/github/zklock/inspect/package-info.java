/**
 * What a tool for operators needs: who holds and who waits, and the data of lock nodes.
 */
@NullMarked
package io.github.zklock.inspect;

import org.jspecify.annotations.NullMarked;
