/**
 * A PostgreSQL server for tests and drills of the shop on that database.
 */
@NullMarked
package io.github.zklock.sample.postgres;

import org.jspecify.annotations.NullMarked;
