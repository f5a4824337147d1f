package io.github.zklock.boot3;

import java.time.Duration;
import java.time.Instant;

import io.micrometer.core.instrument.MeterRegistry;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.client.TestRestTemplate;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.integration.support.locks.LockRegistry;

import io.github.zklock.LockHandle;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.test.AutoConfigureZkLockTest;
import io.github.zklock.test.LockTester;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "management.endpoints.web.exposure.include=health,zklocks",
				"management.endpoint.health.show-details=always" })
@Tag("slow")
@AutoConfigureZkLockTest
class Boot3ApplicationTests {

	@Autowired
	private Reservations reservations;

	@Autowired
	private LockTester locks;

	@Autowired
	private TestRestTemplate http;

	@Test
	void thisIsTheOlderLine() {
		assertThat(SpringBootVersion.getVersion()).startsWith("3.5.");
	}

	@Test
	void anAnnotatedMethodRunsUnderItsLock() {
		assertThat(this.reservations.book(1)).isLessThan(this.reservations.book(1));
	}

	@Test
	void aKeyThatAnotherInstanceHoldsIsBusy() {
		try (LockHandle another = this.locks.hold("seat-2")) {
			assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(() -> this.reservations.book(2))
				.withMessageContaining("held by");
			assertThat(another.isHeld()).isTrue();
		}
	}

	@Test
	void locksAreMeasured(@Autowired MeterRegistry meters) {
		this.reservations.book(3);
		assertThat(meters.get("zk.lock.acquire").tag("key", "seat-#{#seat}").timers()).isNotEmpty();
	}

	@Test
	void theEndpointShowsHolders() {
		try (LockHandle another = this.locks.hold("seat/4")) {
			assertThat(this.http.getForObject("/actuator/zklocks", String.class)).contains("\"key\":\"seat/4\"");
			assertThat(this.http.getForObject("/actuator/zklocks?waits=true&size=1", String.class))
				.contains("\"size\":1", "\"deadlocks\":[]");
			assertThat(this.http.getForObject("/actuator/zklocks/seat/4", String.class))
				.contains("\"token\":" + another.fencingToken());
			assertThat(this.http.exchange("/actuator/zklocks/seat/4", HttpMethod.DELETE, null, String.class)
				.getStatusCode()).isEqualTo(HttpStatus.METHOD_NOT_ALLOWED);
		}
	}

	@Test
	void theHealthIndicatorOfTheDocumentationWorks() {
		assertThat(this.http.getForObject("/actuator/health/zklock", String.class)).contains("\"status\":\"UP\"");
	}

	@Test
	void theLockRegistryOfTheDocumentationWorks(@Autowired LockRegistry registry) throws InterruptedException {
		assertThat(registry.executeLocked("seat-5", () -> this.locks.isFree("seat-5"))).isFalse();
	}

	@Test
	void shedLockHasItsProvider(@Autowired LockProvider provider) {
		LockConfiguration job = new LockConfiguration(Instant.now(), "job", Duration.ofMinutes(1), Duration.ZERO);
		assertThat(provider.lock(job)).isPresent();
		assertThat(provider.lock(job)).isEmpty();
	}

}
