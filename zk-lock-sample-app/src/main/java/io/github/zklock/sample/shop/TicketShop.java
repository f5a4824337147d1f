package io.github.zklock.sample.shop;

import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockContext;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.WaitingCaller;

/**
 * The shop: the seller has the event alone, in all instances of the application. The
 * database refuses a holder that wakes up late and does not know that it has lost the
 * lock.
 */
@Service
public class TicketShop {

	private static final int RACKS = 300;

	private final BoxOffice boxOffice;

	private final ShopProperties properties;

	private final TransactionTemplate transactions;

	TicketShop(BoxOffice boxOffice, ShopProperties properties, TransactionTemplate transactions) {
		this.boxOffice = boxOffice;
		this.properties = properties;
		this.transactions = transactions;
	}

	// tag::exclusive[]
	@DistributedLock(key = "event:#{#order.eventId}", timeout = "${shop.lock-timeout}")
	@Transactional
	public Receipt order(Order order) throws InterruptedException {
		long token = LockContext.current().fencingToken();
		List<Integer> tickets = this.boxOffice.sell(order, this::pay, fence(token));
		return new Receipt(order.eventId(), order.buyer(), tickets, token);
	}
	// end::exclusive[]

	private void pay() throws InterruptedException {
		Thread.sleep(this.properties.paymentTime().toMillis());
	}

	private OptionalLong fence(long token) {
		return this.properties.fenced() ? OptionalLong.of(token) : OptionalLong.empty();
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
		this.boxOffice.open(eventId, capacity, fence(LockContext.current().fencingToken()));
		return new Stock(eventId, capacity, capacity, 0, 0);
	}
	// end::read-write[]

	// tag::downgrade[]
	@DistributedLock(key = "event:#{#eventId}", mode = LockMode.WRITE, timeout = "${shop.lock-timeout}")
	public Settlement settle(String eventId) {
		LockHandle lock = LockContext.current();
		Stock settled = this.transactions
			.execute((status) -> this.boxOffice.settle(eventId, fence(lock.fencingToken())));
		lock.downgrade(); // Written and committed: others may look, but nobody sells
		return new Settlement(eventId, settled.sold(), settled.remaining(), this.boxOffice.buyers(eventId));
	}
	// end::downgrade[]

	// tag::permits[]
	@DistributedLock(key = "report", permits = 5, timeout = "${shop.report-timeout}")
	public SalesReport report(String eventId) throws InterruptedException {
		Instant began = Instant.now();
		Stock stock = this.boxOffice.find(eventId).orElseThrow(() -> new UnknownEventException(eventId));
		Thread.sleep(this.properties.reportTime().toMillis()); // Reports are hard work
		return new SalesReport(eventId, stock.sold(), began, Instant.now());
	}
	// end::permits[]

	// tag::contended[]
	@DistributedLock(key = "event:#{#eventId}", mode = LockMode.WRITE, timeout = "${shop.lock-timeout}")
	public StockTaking takeStock(String eventId) throws InterruptedException {
		if (this.boxOffice.find(eventId).isEmpty()) {
			throw new UnknownEventException(eventId);
		}
		BlockingQueue<WaitingCaller> waiting = new LinkedBlockingQueue<>();
		LockContext.current().onContended(waiting::add);
		for (int rack = 1; rack <= RACKS; rack++) {
			WaitingCaller other = waiting.poll(this.properties.rackTime().toMillis(), TimeUnit.MILLISECONDS);
			if (other != null) {
				return new StockTaking(eventId, rack, (other.reason() != null) ? other.reason() : "a caller waits");
			}
		}
		return new StockTaking(eventId, RACKS, "all is counted");
	}
	// end::contended[]

}
