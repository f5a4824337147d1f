package io.github.zklock.internal.contender;

import io.github.zklock.internal.concurrent.Mailbox;

/**
 * What the contests of some keys share. Their steps run in one mailbox, so that their
 * requests go out in the order in which they were asked for: the delete of one that
 * leaves before the first look of one that enters next.
 *
 * @param mailbox where the steps run
 * @param recentPlaces what was seen lately of the keys' places; to be asked in the
 * mailbox only
 */
public record KeyShard(Mailbox mailbox, RecentPlaces recentPlaces) {
}
