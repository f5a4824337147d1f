package io.github.zklock.internal.contender;

import io.github.zklock.internal.concurrent.SerialExecutor;

/**
 * What the contenders for some keys have in common. Their steps run in one serial
 * executor, so that their requests go out in the order in which they were asked for: the
 * delete of one that leaves before the first look of one that enters next.
 *
 * @param serialExecutor where the steps run
 * @param keyNodeCache what was seen lately of the key nodes; to be asked in the serial
 * executor only
 * @param heldNodes what is known of nodes in the way of who tries once; to be asked in
 * the serial executor only
 * @param clientCosts what writes cost other clients; to be asked in the serial executor
 * only
 */
record KeyShard(SerialExecutor serialExecutor, KeyNodeCache keyNodeCache, HeldNodes heldNodes,
		ClientCosts clientCosts) {
}
