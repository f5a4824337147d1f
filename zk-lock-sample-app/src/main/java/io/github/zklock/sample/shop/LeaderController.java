package io.github.zklock.sample.shop;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Says whether this instance leads.
 */
@RestController
class LeaderController {

	private final Heartbeat heartbeat;

	LeaderController(Heartbeat heartbeat) {
		this.heartbeat = heartbeat;
	}

	@GetMapping("/leader")
	Heartbeat.State leader() {
		return this.heartbeat.state();
	}

}
