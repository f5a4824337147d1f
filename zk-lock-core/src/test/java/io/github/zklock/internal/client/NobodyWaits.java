package io.github.zklock.internal.client;

import java.time.Duration;

import io.github.zklock.LockMode;
import io.github.zklock.WaitingCaller;

/**
 * Sees nobody who waits.
 */
final class NobodyWaits implements ContentionSource {

	@Override
	public Observer observe(String key) {
		return Observer.NONE;
	}

	@Override
	public WaitingCaller local(String key, LockMode mode, String thread, Duration waited) {
		return new WaitingCaller(key, mode, null, null, null, thread, waited, null);
	}

}
