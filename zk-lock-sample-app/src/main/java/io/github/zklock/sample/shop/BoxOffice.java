package io.github.zklock.sample.shop;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Keeps the stock in the database, and relies on its callers for exclusion: a sale reads
 * the counter, takes a moment, and writes the counter. Two sales of one event at the same
 * time sell the same tickets. A caller that shows its fencing token is refused if a later
 * holder of the lock has written before.
 */
@Repository
public class BoxOffice {

	private final JdbcClient jdbc;

	public BoxOffice(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	/**
	 * Puts the tickets of an event on sale afresh; earlier sales are forgotten.
	 * @param eventId which event
	 * @param capacity how many tickets
	 */
	public void open(String eventId, int capacity) {
		close(eventId);
		this.jdbc.sql("insert into event (id, capacity, remaining) values (:id, :capacity, :capacity)")
			.param("id", eventId)
			.param("capacity", capacity)
			.update();
	}

	/**
	 * Puts the tickets of an event on sale afresh; earlier sales are forgotten.
	 * @param eventId which event
	 * @param capacity how many tickets
	 * @param fence the fencing token of the caller's lock, or empty for no fence
	 * @throws LateWriteException if a later holder of the lock has written; nothing was
	 * changed
	 */
	void open(String eventId, int capacity, OptionalLong fence) {
		if (fence.isEmpty()) {
			open(eventId, capacity);
			return;
		}
		if (!reopen(eventId, capacity, fence.getAsLong())) {
			openFirst(eventId, capacity, fence.getAsLong());
		}
		this.jdbc.sql("delete from ticket where event_id = :id").param("id", eventId).update();
	}

	private boolean reopen(String eventId, int capacity, long token) {
		return this.jdbc.sql("""
				update event set capacity = :capacity, remaining = :capacity, fence = :token
				where id = :id and fence <= :token
				""").param("capacity", capacity).param("token", token).param("id", eventId).update() == 1;
	}

	private void openFirst(String eventId, int capacity, long token) {
		try {
			this.jdbc
				.sql("insert into event (id, capacity, remaining, fence) values (:id, :capacity, :capacity, :token)")
				.param("id", eventId)
				.param("capacity", capacity)
				.param("token", token)
				.update();
		}
		catch (DuplicateKeyException ex) {
			throw new LateWriteException(eventId, token, ex);
		}
	}

	/**
	 * Forgets an event.
	 * @param eventId which event
	 */
	public void close(String eventId) {
		this.jdbc.sql("delete from ticket where event_id = :id").param("id", eventId).update();
		this.jdbc.sql("delete from event where id = :id").param("id", eventId).update();
	}

	/**
	 * Sells tickets without a fence.
	 * @param order what is wanted
	 * @param thinkTime how long the sale takes between reading and writing
	 * @param beforeWriting has the last word
	 * @return the numbers of the tickets
	 * @throws UnknownEventException if there is no such event
	 * @throws SoldOutException if there are not enough tickets left
	 * @throws InterruptedException if interrupted; nothing was sold
	 */
	public List<Integer> sell(Order order, Duration thinkTime, Runnable beforeWriting) throws InterruptedException {
		return sell(order, () -> {
			Thread.sleep(thinkTime.toMillis());
			beforeWriting.run();
		}, OptionalLong.empty());
	}

	/**
	 * Sells tickets.
	 * @param order what is wanted
	 * @param payment what lies between reading and writing
	 * @param fence the fencing token of the caller's lock, or empty for no fence
	 * @return the numbers of the tickets
	 * @throws UnknownEventException if there is no such event
	 * @throws SoldOutException if there are not enough tickets left
	 * @throws LateWriteException if a later holder of the lock has written; nothing was
	 * sold
	 * @throws InterruptedException if interrupted; nothing was sold
	 */
	List<Integer> sell(Order order, Payment payment, OptionalLong fence) throws InterruptedException {
		int remaining = remaining(order.eventId());
		if (remaining < order.quantity()) {
			throw new SoldOutException(order.eventId(), order.quantity(), remaining);
		}
		payment.take();
		int left = remaining - order.quantity();
		write(order.eventId(), left, fence);
		List<Integer> tickets = IntStream.rangeClosed(left + 1, remaining).boxed().toList();
		tickets.forEach((ticket) -> hand(ticket, order));
		return tickets;
	}

	private void write(String eventId, int remaining, OptionalLong fence) {
		if (fence.isEmpty()) {
			write(eventId, remaining);
		}
		else if (!write(eventId, remaining, fence.getAsLong())) {
			throw new LateWriteException(eventId, fence.getAsLong(), null);
		}
	}

	private void write(String eventId, int remaining) {
		this.jdbc.sql("update event set remaining = :remaining where id = :id")
			.param("remaining", remaining)
			.param("id", eventId)
			.update();
	}

	// tag::fence[]
	private boolean write(String eventId, int remaining, long token) {
		return this.jdbc
			.sql("update event set remaining = :remaining, fence = :token where id = :id and fence <= :token")
			.param("remaining", remaining)
			.param("token", token)
			.param("id", eventId)
			.update() == 1;
	}
	// end::fence[]

	private int remaining(String eventId) {
		return this.jdbc.sql("select remaining from event where id = :id")
			.param("id", eventId)
			.query(Integer.class)
			.optional()
			.orElseThrow(() -> new UnknownEventException(eventId));
	}

	private void hand(int ticket, Order order) {
		this.jdbc.sql("insert into ticket (event_id, number, buyer) values (:id, :number, :buyer)")
			.param("id", order.eventId())
			.param("number", ticket)
			.param("buyer", order.buyer())
			.update();
	}

	/**
	 * Looks at the tickets of an event.
	 * @param eventId which event
	 * @return its tickets, or empty if there is no such event
	 */
	public Optional<Stock> find(String eventId) {
		return this.jdbc.sql("""
				select e.id, e.capacity, e.remaining, count(t.number) as sold,
					count(t.number) - count(distinct t.number) as sold_twice
				from event e left join ticket t on t.event_id = e.id
				where e.id = :id
				group by e.id, e.capacity, e.remaining
				""")
			.param("id", eventId)
			.query((row, number) -> new Stock(row.getString("id"), row.getInt("capacity"), row.getInt("remaining"),
					row.getInt("sold"), row.getInt("sold_twice")))
			.optional();
	}

	/**
	 * Sets the counter of an event to what its tickets say.
	 * @param eventId which event
	 * @param fence the fencing token of the caller's lock, or empty for no fence
	 * @return the event, with the counter as it is now
	 * @throws UnknownEventException if there is no such event
	 * @throws LateWriteException if a later holder of the lock has written; nothing was
	 * changed
	 */
	Stock settle(String eventId, OptionalLong fence) {
		Stock found = find(eventId).orElseThrow(() -> new UnknownEventException(eventId));
		int remaining = found.capacity() - found.sold();
		write(eventId, remaining, fence);
		return new Stock(eventId, found.capacity(), remaining, found.sold(), found.soldTwice());
	}

	/**
	 * Counts the tickets of each buyer.
	 * @param eventId which event
	 * @return how many each has, by name
	 */
	Map<String, Integer> buyers(String eventId) {
		return this.jdbc.sql("select buyer, count(*) as tickets from ticket where event_id = :id group by buyer")
			.param("id", eventId)
			.query((row, index) -> Map.entry(row.getString("buyer"), row.getInt("tickets")))
			.list()
			.stream()
			.collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, Integer::sum, TreeMap::new));
	}

	/**
	 * Counts the tickets that were sold twice.
	 * @return how many, of all events; zero if the locks work
	 */
	int soldTwice() {
		return this.jdbc.sql("select count(*) - count(distinct event_id || '/' || number) from ticket")
			.query(Integer.class)
			.single();
	}

	/**
	 * What lies between reading the stock and writing it.
	 */
	@FunctionalInterface
	interface Payment {

		void take() throws InterruptedException;

	}

}
