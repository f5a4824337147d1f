/**
 * Sells numbered tickets from a stock in a database.
 */
@NullMarked
package io.github.zklock.sample.shop;

import org.jspecify.annotations.NullMarked;
