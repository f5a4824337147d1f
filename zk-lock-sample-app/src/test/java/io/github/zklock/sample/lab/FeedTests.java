package io.github.zklock.sample.lab;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.http.HttpStatus;
import org.springframework.web.ErrorResponseException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

@SpringBootTest
class FeedTests {

	@Autowired
	private Lab lab;

	@Test
	void thereIsAnEndToTheNumberOfPages() {
		Feed feed = new Feed(this.lab);
		feed.start();
		try {
			for (int i = 0; i < Feed.MAX_PAGES; i++) {
				feed.subscribe();
			}
			assertThatExceptionOfType(ErrorResponseException.class).isThrownBy(feed::subscribe)
				.satisfies((ex) -> assertThat(ex.getStatusCode()).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE));
		}
		finally {
			feed.stop();
		}
		await().until(() -> feed.pages() == 0);
	}

	@Test
	void whoComesAfterTheEndIsSentAway() {
		Feed feed = new Feed(this.lab);
		assertThatExceptionOfType(ErrorResponseException.class).isThrownBy(feed::subscribe)
			.satisfies((ex) -> assertThat(ex.getBody().getDetail()).isEqualTo("The application is shutting down"));
	}

}
