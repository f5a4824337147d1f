/**
 * What stays in one JVM, measured with JMH.
 */
@NullMarked
package io.github.zklock.benchmarks.jvm;

import org.jspecify.annotations.NullMarked;
