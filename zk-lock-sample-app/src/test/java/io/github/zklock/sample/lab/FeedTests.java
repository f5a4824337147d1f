package io.github.zklock.sample.lab;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.http.HttpStatus;
import org.springframework.web.ErrorResponseException;

import io.github.zklock.LockUnavailableException;
import io.github.zklock.sample.contest.ContestMode;
import io.github.zklock.sample.contest.ContestSpec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

@SpringBootTest
class FeedTests {

	@Autowired
	private Feed feed;

	@Autowired
	private Lab lab;

	@AfterEach
	void startAgain() {
		this.feed.stop();
		await().until(() -> this.feed.pages() == 0);
		this.feed.start();
	}

	@Test
	void thereIsAnEndToTheNumberOfPages() {
		for (int i = 0; i < Feed.MAX_PAGES; i++) {
			this.feed.subscribe();
		}
		assertThatExceptionOfType(ErrorResponseException.class).isThrownBy(this.feed::subscribe)
			.satisfies((ex) -> assertThat(ex.getStatusCode()).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE));
	}

	@Test
	void whoComesAfterTheEndIsSentAway() {
		this.feed.stop();
		assertThatExceptionOfType(ErrorResponseException.class).isThrownBy(this.feed::subscribe)
			.satisfies((ex) -> assertThat(ex.getBody().getDetail()).isEqualTo("The application is shutting down"));
	}

	@Test
	void noContestBeginsAfterTheEnd() {
		this.feed.stop();
		ContestSpec spec = new ContestSpec("sequential", ContestMode.EXCLUSIVE, 1, Duration.ZERO, Duration.ZERO);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.lab.start(spec))
			.withMessage("The application is shutting down");
	}

}
