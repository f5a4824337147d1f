package io.github.zklock.sample.web;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.web.client.RestClient;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@ActiveProfiles("lab")
class RestDescriptionTests {

	private static final List<String> PACKAGES = List.of("io.github.zklock.sample.shop");

	@Autowired
	private RequestMappingHandlerMapping requestMappingHandlerMapping;

	private JsonNode description;

	@BeforeEach
	void read(@LocalServerPort int port) {
		this.description = JsonMapper.shared()
			.readTree(RestClient.create("http://localhost:" + port)
				.get()
				.uri("/v3/api-docs")
				.retrieve()
				.body(String.class));
	}

	@Test
	void everyOperationOfTheShopIsDescribed() {
		Set<String> operations = new TreeSet<>();
		this.requestMappingHandlerMapping.getHandlerMethods().forEach((mapping, method) -> {
			if (PACKAGES.contains(method.getBeanType().getPackageName())) {
				mapping.getMethodsCondition()
					.getMethods()
					.forEach((verb) -> mapping.getPatternValues().forEach((path) -> operations.add(verb + " " + path)));
			}
		});
		assertThat(operations).contains("POST /orders", "PUT /events/{id}/stock", "POST /late-orders");
		assertThat(operations()).containsAll(operations).contains("POST /contention");
	}

	private Set<String> operations() {
		Set<String> operations = new TreeSet<>();
		this.description.path("paths")
			.properties()
			.forEach((path) -> path.getValue()
				.propertyNames()
				.forEach((verb) -> operations.add(verb.toUpperCase(Locale.ROOT) + " " + path.getKey())));
		return operations;
	}

	@Test
	void everyOperationSaysHowItFails() {
		for (JsonNode path : this.description.path("paths")) {
			for (JsonNode operation : path) {
				JsonNode responses = operation.path("responses");
				for (String status : List.of("400", "423", "500", "503")) {
					assertThat(responses.at("/" + status + "/content/application~1problem+json/schema/$ref").asString())
						.isEqualTo("#/components/schemas/Problem");
				}
				assertThat(responses.path("423").path("headers").has("Retry-After")).isTrue();
				assertThat(responses.path("503").path("headers").has("Retry-After")).isTrue();
			}
		}
	}

	@Test
	void theBoundsOfAnOrderAreDescribed() {
		JsonNode order = this.description.at("/components/schemas/Order");
		assertThat(order.at("/properties/quantity/minimum").asInt()).isEqualTo(1);
		assertThat(order.at("/properties/quantity/maximum").asInt()).isEqualTo(10);
		assertThat(order.at("/properties/buyer/maxLength").asInt()).isEqualTo(64);
		assertThat(order.at("/properties/eventId/pattern").asString()).isNotEmpty();
		assertThat(order.path("required").valueStream().map(JsonNode::asString)).containsExactlyInAnyOrder("eventId",
				"buyer", "quantity");
	}

	@Test
	void whatASaleGivesIsDescribed() {
		JsonNode responses = this.description.at("/paths/~1orders/post/responses");
		assertThat(responses.at("/201/content/application~1json/schema/$ref").asString())
			.isEqualTo("#/components/schemas/Receipt");
		assertThat(responses.propertyNames()).contains("404", "409");
	}

}
