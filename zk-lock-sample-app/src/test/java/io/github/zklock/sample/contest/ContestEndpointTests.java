package io.github.zklock.sample.contest;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.sample.contest.ContestReport.Tickets;
import io.github.zklock.sample.contest.ContestReport.Violations;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest(properties = "shop.lock-timeout=30s")
@AutoConfigureMockMvc
class ContestEndpointTests {

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private LockClient lockClient;

	@ParameterizedTest
	@ValueSource(strings = { "naive", "sequential" })
	void aContestTellsWhatHappened(String strategy) {
		assertThat(this.mvc.post().uri("/contention?strategy={strategy}&clients=10", strategy)).hasStatusOk()
			.bodyJson()
			.convertTo(ContestReport.class)
			.satisfies((report) -> {
				assertThat(report.strategy()).isEqualTo(strategy);
				assertThat(report.served()).isEqualTo(10);
				assertThat(report.violations()).isEqualTo(new Violations(0, 0, 0, 0));
				assertThat(report.tickets()).isEqualTo(new Tickets(10, 10, 0));
				assertThat(report.visits()).hasSize(10)
					.allSatisfy((turn) -> assertThat(turn.fencingToken()).isPositive());
				assertThat(report.waitMillis().p99()).isPositive();
				assertThat(report.watchEvents().total()).isPositive();
				assertThat(report.line().nodesSeen()).isPositive();
			});
	}

	@Test
	void aContestWithoutALockOversells() {
		assertThat(this.mvc.post().uri("/contention?mode=none&clients=10")).hasStatusOk()
			.bodyJson()
			.doesNotHavePath("$.watchEvents")
			.convertTo(ContestReport.class)
			.satisfies((report) -> assertThat(report.violations().soldTwice()).isPositive());
	}

	@Test
	void oneContestAtATime() throws Exception {
		LockRequest request = LockRequest.exclusive("contest").timeout(Duration.ofSeconds(5));
		// The requests run on this thread, which would re-enter
		try (LockHandle lock = this.lockClient.acquire(request.owner("another client"))) {
			assertThat(this.mvc.post().uri("/contention?clients=2")).hasStatus(HttpStatus.LOCKED)
				.hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
				.hasHeader(HttpHeaders.RETRY_AFTER, "1");
			assertThat(lock.isHeld()).isTrue();
		}
	}

	@ParameterizedTest
	@CsvSource({ "clients=0, clients must be greater than or equal to 1",
			"clients=501, clients must be less than or equal to 500",
			"strategy=fair, strategy must be naive or sequential", "mode=READ, 'mode must be exclusive, write or none'",
			"thinkMillis=-1, thinkMillis must be greater than or equal to 0",
			"timeoutMillis=600001, timeoutMillis must be less than or equal to 600000" })
	void inputOutOfBoundsIsABadRequest(String query, String error) {
		assertThat(this.mvc.post().uri("/contention?" + query)).hasStatus(HttpStatus.BAD_REQUEST)
			.hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
			.bodyJson()
			.extractingPath("$.errors[0]")
			.isEqualTo(error);
	}

	@Test
	void textForANumberIsABadRequest() {
		assertThat(this.mvc.post().uri("/contention?clients=many")).hasStatus(HttpStatus.BAD_REQUEST)
			.hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
	}

}
