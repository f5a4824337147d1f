/**
 * ZooKeeper sessions: where they come from, their requests, their lease, their watches.
 * It knows no contender, only members, lease holders and waiters.
 */
@NullMarked
package io.github.zklock.internal.session;

import org.jspecify.annotations.NullMarked;
