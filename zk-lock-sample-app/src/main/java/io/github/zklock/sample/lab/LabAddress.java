package io.github.zklock.sample.lab;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/**
 * Logs where the page is, as the last line of the start.
 */
@Component
class LabAddress {

	private static final Logger log = LoggerFactory.getLogger(LabAddress.class);

	private final Environment environment;

	LabAddress(Environment environment) {
		this.environment = environment;
	}

	@EventListener(ApplicationReadyEvent.class)
	@Order(Ordered.LOWEST_PRECEDENCE)
	void log() {
		String port = this.environment.getProperty("local.server.port");
		// There is none when a test starts no web server
		if (port != null) {
			log.info("The contention lab: http://localhost:{}/", port);
		}
	}

}
