package io.github.zklock.sample.shop;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

import io.github.zklock.ClusterJob;

/**
 * What one of all instances does each night, whichever comes first.
 */
@Component
class NightlyAudit {

	private static final Logger log = LoggerFactory.getLogger(NightlyAudit.class);

	private final BoxOffice boxOffice;

	NightlyAudit(BoxOffice boxOffice) {
		this.boxOffice = boxOffice;
	}

	// tag::job[]
	@Scheduled(cron = "${shop.audit}")
	@ClusterJob(key = "audit", notAgainWithin = "${shop.audit-within}")
	void audit() {
		log.info("{} tickets were sold twice", this.boxOffice.soldTwice());
	}
	// end::job[]

}
