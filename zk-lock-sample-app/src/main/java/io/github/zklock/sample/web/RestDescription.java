package io.github.zklock.sample.web;

import java.util.Map;

import io.swagger.v3.oas.models.Components;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.headers.Header;
import io.swagger.v3.oas.models.info.Info;
import io.swagger.v3.oas.models.media.ArraySchema;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.IntegerSchema;
import io.swagger.v3.oas.models.media.MediaType;
import io.swagger.v3.oas.models.media.ObjectSchema;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.media.StringSchema;
import io.swagger.v3.oas.models.responses.ApiResponse;
import org.springdoc.core.customizers.OpenApiCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Adds to the description of the REST interface what the controllers do not say
 * themselves: the problems.
 */
@Configuration(proxyBeanMethods = false)
class RestDescription {

	private static final String PROBLEM = "Problem";

	@Bean
	OpenAPI openApi() {
		return new OpenAPI()
			.info(new Info().title("Ticket shop").description("Sells no ticket twice, in all its instances"))
			.components(new Components().addSchemas(PROBLEM, problem()));
	}

	private static Schema<?> problem() {
		return new ObjectSchema().description("Problem details, RFC 9457")
			.addProperty("type", new StringSchema().format("uri"))
			.addProperty("title", new StringSchema())
			.addProperty("status", new IntegerSchema())
			.addProperty("detail", new StringSchema())
			.addProperty("instance", new StringSchema().format("uri"))
			.addProperty("errors", new ArraySchema().items(new StringSchema()));
	}

	@Bean
	OpenApiCustomizer describedProblems() {
		return (api) -> api.getPaths()
			.forEach((path, item) -> item.readOperations().forEach((operation) -> addProblems(path, operation)));
	}

	private static void addProblems(String path, Operation operation) {
		add(operation, 400, response("Bad input; says what is wrong in 'errors'"));
		add(operation, 423, retryAfter(response("Busy: others held the lock all the time")));
		add(operation, 500, response("The lock was lost meanwhile"));
		add(operation, 503, retryAfter(response("ZooKeeper cannot be reached")));
		if (path.endsWith("orders")) {
			add(operation, 409, response("Sold out, or a later holder of the lock has written"));
		}
		if (path.contains("{id}") || path.endsWith("orders")) {
			add(operation, 404, response("There is no such event"));
		}
	}

	private static void add(Operation operation, int status, ApiResponse response) {
		operation.getResponses().addApiResponse(Integer.toString(status), response);
	}

	private static ApiResponse response(String description) {
		return new ApiResponse().description(description)
			.content(new Content().addMediaType("application/problem+json",
					new MediaType().schema(new Schema<>().$ref(PROBLEM))));
	}

	private static ApiResponse retryAfter(ApiResponse response) {
		return response.headers(Map.of("Retry-After",
				new Header().description("Seconds to wait before the next try").schema(new IntegerSchema())));
	}

}
