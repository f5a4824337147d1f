package io.github.zklock.sample.shop;

import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/**
 * Who gets the lock while the {@link LateSeller} sleeps; has a transaction of its own.
 */
@Service
@Profile("lab")
class NextSeller {

	private final TicketShop shop;

	NextSeller(TicketShop shop) {
		this.shop = shop;
	}

	@Transactional(propagation = Propagation.NOT_SUPPORTED)
	void sell(Order order) throws InterruptedException {
		this.shop.order(order);
	}

}
