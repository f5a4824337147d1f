package io.github.zklock.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;

/**
 * Asks for locks in every mode with every strategy, each for a key of its own, where
 * servers fail so slowly that one failure has to do for all.
 */
final class EveryWay {

	private EveryWay() {
	}

	/**
	 * Makes the requests.
	 * @param key how the keys begin
	 * @return a request for each mode and strategy, patient and with an owner of its own
	 */
	static List<LockRequest> to(String key) {
		List<LockRequest> requests = new ArrayList<>();
		for (String strategy : List.of("naive", "sequential")) {
			for (LockMode mode : LockMode.values()) {
				requests.add(LockRequest.exclusive(key + "-" + strategy + "-" + mode)
					.mode(mode)
					.strategy(strategy)
					.timeout(Duration.ofSeconds(60))
					.owner(new Object()));
			}
		}
		return requests;
	}

}
