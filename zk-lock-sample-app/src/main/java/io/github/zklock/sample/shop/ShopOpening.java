package io.github.zklock.sample.shop;

import java.time.Duration;
import java.util.OptionalLong;

import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.stereotype.Component;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;

/**
 * Puts something on sale at the start, once, however many instances start together.
 */
@Component
class ShopOpening implements ApplicationRunner {

	private final LockClient lockClient;

	private final BoxOffice boxOffice;

	private final ShopProperties properties;

	ShopOpening(LockClient lockClient, BoxOffice boxOffice, ShopProperties properties) {
		this.lockClient = lockClient;
		this.boxOffice = boxOffice;
		this.properties = properties;
	}

	@Override
	public void run(ApplicationArguments arguments) throws InterruptedException {
		openIfNew(this.properties.openingEvent(), this.properties.openingCapacity());
	}

	// tag::client[]
	void openIfNew(String eventId, int capacity) throws InterruptedException {
		LockRequest request = LockRequest.write("event:" + eventId).timeout(Duration.ofSeconds(5));
		try (LockHandle lock = this.lockClient.acquire(request)) {
			if (this.boxOffice.find(eventId).isEmpty()) {
				this.boxOffice.open(eventId, capacity, OptionalLong.of(lock.fencingToken()));
			}
		}
	}
	// end::client[]

}
