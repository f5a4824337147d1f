package io.github.zklock.sample.shop;

import java.util.List;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockContext;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockMode;

/**
 * The shop: whoever sells has the event for himself, in all instances of the application.
 */
@Service
public class TicketShop {

	private final BoxOffice boxOffice;

	private final ShopProperties properties;

	TicketShop(BoxOffice boxOffice, ShopProperties properties) {
		this.boxOffice = boxOffice;
		this.properties = properties;
	}

	// tag::exclusive[]
	@DistributedLock(key = "event:#{#order.eventId}", timeout = "${shop.lock-timeout}")
	@Transactional
	public Receipt order(Order order) throws InterruptedException {
		LockHandle lock = LockContext.current();
		List<Integer> tickets = this.boxOffice.sell(order, this.properties.paymentTime(), () -> ensureHeld(lock));
		return new Receipt(order.eventId(), order.buyer(), tickets, lock.fencingToken());
	}
	// end::exclusive[]

	private static void ensureHeld(LockHandle lock) {
		if (!lock.isHeld()) {
			throw new LockLostException("The lock '" + lock.key() + "' was lost before the sale; nothing was sold");
		}
	}

	// tag::read-write[]
	@DistributedLock(key = "event:#{#eventId}", mode = LockMode.READ, timeout = "${shop.lock-timeout}")
	@Transactional(readOnly = true)
	public Stock stock(String eventId) {
		return this.boxOffice.find(eventId).orElseThrow(() -> new UnknownEventException(eventId));
	}

	@DistributedLock(key = "event:#{#eventId}", mode = LockMode.WRITE, timeout = "${shop.lock-timeout}")
	@Transactional
	public Stock replaceStock(String eventId, int capacity) {
		this.boxOffice.open(eventId, capacity);
		return new Stock(eventId, capacity, capacity, 0, 0);
	}
	// end::read-write[]

}
