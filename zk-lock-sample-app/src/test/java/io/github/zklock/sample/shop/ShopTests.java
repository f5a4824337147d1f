package io.github.zklock.sample.shop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@SpringBootTest(properties = "shop.lock-timeout=30s")
@AutoConfigureMockMvc
class ShopTests {

	private static final int BUYERS = 40;

	@Autowired
	private TicketShop shop;

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private NightlyAudit audit;

	@Autowired
	private LockClient locks;

	@BeforeEach
	void putTicketsOnSale() {
		assertThat(putStock("test", "{\"capacity\": 10}")).hasStatusOk();
	}

	@Test
	void somethingIsOnSaleAtTheStart() {
		assertThat(getStock("concert")).hasStatusOk().bodyJson().extractingPath("$.capacity").isEqualTo(100);
	}

	@Test
	void anOrderGetsTicketsAndTheTokenOfItsLock() {
		assertThat(order("{\"eventId\": \"test\", \"buyer\": \"ada\", \"quantity\": 2}")).hasStatus(HttpStatus.CREATED)
			.bodyJson()
			.convertTo(Receipt.class)
			.satisfies((receipt) -> {
				assertThat(receipt.tickets()).containsExactly(9, 10);
				assertThat(receipt.fencingToken()).isPositive();
			});
	}

	@Test
	void aSaleIsSeenInTheStock() {
		order("{\"eventId\": \"test\", \"buyer\": \"ada\", \"quantity\": 3}");
		assertThat(getStock("test")).hasStatusOk()
			.bodyJson()
			.isStrictlyEqualTo(
					"{\"eventId\": \"test\", \"capacity\": 10, \"remaining\": 7, \"sold\": 3, \"soldTwice\": 0}");
	}

	@Test
	void aSettlementCountsTheTicketsOfEachBuyer() {
		order("{\"eventId\": \"test\", \"buyer\": \"bob\", \"quantity\": 1}");
		order("{\"eventId\": \"test\", \"buyer\": \"ada\", \"quantity\": 3}");
		assertThat(this.mvc.post().uri("/events/{id}/settlement", "test").exchange()).hasStatusOk()
			.bodyJson()
			.isStrictlyEqualTo(
					"{\"eventId\": \"test\", \"sold\": 4, \"remaining\": 6, \"buyers\": {\"ada\": 3, \"bob\": 1}}");
		assertThat(this.mvc.post().uri("/events/{id}/settlement", "nowhere").exchange())
			.hasStatus(HttpStatus.NOT_FOUND);
	}

	@Test
	void manyBuyersAtOnceGetDifferentTickets() throws Exception {
		this.shop.replaceStock("rush", BUYERS);
		ExecutorService buyers = Executors.newFixedThreadPool(BUYERS);
		try {
			List<Callable<Receipt>> orders = IntStream.range(0, BUYERS)
				.<Callable<Receipt>>mapToObj((buyer) -> () -> this.shop.order(new Order("rush", "buyer " + buyer, 1)))
				.toList();
			List<Integer> tickets = new ArrayList<>();
			for (Future<Receipt> receipt : buyers.invokeAll(orders)) {
				tickets.addAll(receipt.get().tickets());
			}
			assertThat(tickets).hasSize(BUYERS).doesNotHaveDuplicates();
			assertThat(this.shop.stock("rush")).isEqualTo(new Stock("rush", BUYERS, 0, BUYERS, 0));
		}
		finally {
			buyers.shutdownNow();
		}
	}

	@Test
	void fiveReportsAreMadeAtATime() {
		// On a busy machine one may be over before the fifth one begins
		assertThat(await().pollInSameThread()
			.atMost(Duration.ofMinutes(1))
			.until(this::reportsAtOnce, (most) -> most >= 5)).isEqualTo(5);
		assertThat(this.mvc.get().uri("/events/{id}/report", "nowhere").exchange()).hasStatus(HttpStatus.NOT_FOUND);
	}

	private long reportsAtOnce() throws Exception {
		List<CompletableFuture<SalesReport>> asked = IntStream.range(0, 12)
			.mapToObj((i) -> CompletableFuture.supplyAsync(() -> {
				try {
					return this.shop.report("test");
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
			}, (task) -> new Thread(task).start()))
			.toList();
		List<SalesReport> reports = new ArrayList<>();
		for (CompletableFuture<SalesReport> report : asked) {
			reports.add(report.get(20, TimeUnit.SECONDS));
		}
		return reports.stream().mapToLong((report) -> atOnce(reports, report)).max().orElseThrow();
	}

	private static long atOnce(List<SalesReport> reports, SalesReport one) {
		return reports.stream()
			.filter((other) -> !other.began().isAfter(one.began()) && other.ended().isAfter(one.began()))
			.count();
	}

	@Test
	void stockTakingEndsWhenABuyerWaits() throws Exception {
		CompletableFuture<MvcTestResult> counting = CompletableFuture
			.supplyAsync(() -> this.mvc.post().uri("/events/{id}/stock-taking", "test").exchange());
		await().until(this::isStockTaken);
		assertThat(order("{\"eventId\": \"test\", \"buyer\": \"ada\", \"quantity\": 1}")).hasStatus(HttpStatus.CREATED);
		assertThat(counting.get(20, TimeUnit.SECONDS)).hasStatusOk()
			.bodyJson()
			.convertTo(StockTaking.class)
			.satisfies((taken) -> {
				assertThat(taken.racks()).isLessThan(300);
				assertThat(taken.endedBecause()).isEqualTo("a caller waits");
			});
	}

	@Test
	void noStockIsTakenOfAnUnknownEvent() {
		assertThat(this.mvc.post().uri("/events/{id}/stock-taking", "nowhere").exchange())
			.hasStatus(HttpStatus.NOT_FOUND);
	}

	private boolean isStockTaken() throws InterruptedException {
		LockRequest once = LockRequest.read("event:test").timeout(Duration.ZERO).answerTimeout(Duration.ofSeconds(20));
		Optional<LockHandle> free = this.locks.tryAcquire(once);
		free.ifPresent(LockHandle::release);
		return free.isEmpty();
	}

	@Test
	void theAuditRunsOnceForEachNight() {
		this.audit.audit();
		this.audit.audit();
		// Who releases waits for no server
		await()
			.untilAsserted(() -> assertThat(this.mvc.get().uri("/actuator/zklocks?jobs=true").exchange()).hasStatusOk()
				.bodyJson()
				.satisfies((json) -> {
					assertThat(json).extractingPath("$.jobs.length()").isEqualTo(1);
					assertThat(json).extractingPath("$.jobs[0].key").isEqualTo("audit");
					assertThat(json).extractingPath("$.jobs[0].run").isEqualTo(1);
					assertThat(json).extractingPath("$.jobs[0].outcome").isEqualTo("ok");
				}));
	}

	@Test
	void newStockForgetsEarlierSales() {
		order("{\"eventId\": \"test\", \"buyer\": \"ada\", \"quantity\": 3}");
		assertThat(putStock("test", "{\"capacity\": 5}")).hasStatusOk();
		assertThat(getStock("test")).bodyJson()
			.isStrictlyEqualTo(
					"{\"eventId\": \"test\", \"capacity\": 5, \"remaining\": 5, \"sold\": 0, \"soldTwice\": 0}");
	}

	@Test
	void whatIsSoldOutIsAConflict() {
		assertThat(putStock("test", "{\"capacity\": 1}")).hasStatusOk();
		assertThat(order("{\"eventId\": \"test\", \"buyer\": \"ada\", \"quantity\": 2}")).hasStatus(HttpStatus.CONFLICT)
			.hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
			.bodyJson()
			.isLenientlyEqualTo("{\"type\": \"urn:zk-lock:sample:sold-out\", "
					+ "\"detail\": \"2 tickets were ordered, but event 'test' has only 1 left\"}");
		assertThat(getStock("test")).bodyJson().extractingPath("$.remaining").isEqualTo(1);
	}

	@Test
	void anUnknownEventIsNotFound() {
		assertThat(getStock("nowhere")).hasStatus(HttpStatus.NOT_FOUND)
			.hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
			.bodyJson()
			.extractingPath("$.type")
			.isEqualTo("urn:zk-lock:sample:unknown-event");
		assertThat(order("{\"eventId\": \"nowhere\", \"buyer\": \"ada\", \"quantity\": 1}"))
			.hasStatus(HttpStatus.NOT_FOUND);
	}

	private MvcTestResult order(String body) {
		return this.mvc.post().uri("/orders").contentType(MediaType.APPLICATION_JSON).content(body).exchange();
	}

	private MvcTestResult getStock(String eventId) {
		return this.mvc.get().uri("/events/{id}/stock", eventId).exchange();
	}

	private MvcTestResult putStock(String eventId, String body) {
		return this.mvc.put()
			.uri("/events/{id}/stock", eventId)
			.contentType(MediaType.APPLICATION_JSON)
			.content(body)
			.exchange();
	}

}
