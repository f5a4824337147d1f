/**
 * What the application is notified of by Spring.
 */
@NullMarked
package io.github.zklock.spring;

import org.jspecify.annotations.NullMarked;
