package io.github.zklock.drill;

import java.io.IOException;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClient.RequestHeadersSpec.ConvertibleClientHttpResponse;
import org.springframework.web.client.RestClientException;

import io.github.zklock.sample.shop.Order;
import io.github.zklock.sample.shop.Receipt;

/**
 * A client that buys one ticket after the other, each at the next instance, until there
 * are none left. What was refused it orders again, sooner than {@code Retry-After} says.
 */
final class Buyer implements Runnable {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final Duration PAUSE = Duration.ofMillis(200);

	private final Order order;

	private final List<RestClient> instances;

	private final SalesTally tally;

	private int turn;

	Buyer(int number, String eventId, List<String> instances, SalesTally tally) {
		this.order = new Order(eventId, "client " + number, 1);
		this.instances = instances.stream().map(Buyer::client).toList();
		this.tally = tally;
		this.turn = number;
	}

	private static RestClient client(String instance) {
		JdkClientHttpRequestFactory requests = new JdkClientHttpRequestFactory(HttpClient.newHttpClient());
		requests.setReadTimeout(PATIENCE);
		return RestClient.builder().baseUrl(instance).requestFactory(requests).build();
	}

	@Override
	public void run() {
		try {
			Outcome outcome = buy();
			while (outcome != Outcome.SOLD_OUT) {
				if (outcome != Outcome.SOLD) {
					this.tally.add(outcome);
					Thread.sleep(PAUSE.toMillis());
				}
				outcome = buy();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private Outcome buy() {
		try {
			return this.instances.get(this.turn++ % this.instances.size())
				.post()
				.uri("/orders")
				.contentType(MediaType.APPLICATION_JSON)
				.body(this.order)
				.exchangeForRequiredValue((request, answer) -> read(answer));
		}
		catch (ResourceAccessException ex) {
			return Outcome.UNANSWERED;
		}
		catch (RestClientException ex) {
			return Outcome.FAILED;
		}
	}

	private Outcome read(ConvertibleClientHttpResponse answer) throws IOException {
		if (answer.getStatusCode().is2xxSuccessful()) {
			this.tally.sold(Objects.requireNonNull(answer.bodyTo(Receipt.class)).tickets());
			return Outcome.SOLD;
		}
		ProblemDetail problem = answer.bodyTo(ProblemDetail.class);
		return Outcome.of((problem != null) ? String.valueOf(problem.getType()) : "");
	}

}
