package io.github.zklock.sample;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.StreamSupport;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.http.MediaType;
import org.springframework.web.client.RestClient;

import io.github.zklock.sample.shop.Order;
import io.github.zklock.sample.shop.Receipt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The jar that the profile {@code aot} makes. Only that profile runs it.
 */
@Tag("aot")
class AheadOfTimeIT {

	@TempDir
	private Path directory;

	@Test
	void anOrderIsLockedByBeansOfTheBuild() throws Exception {
		try (Instance instance = Instance.startAheadOfTime(jar(), this.directory.resolve("log"))) {
			RestClient client = instance.awaitStarted().client();
			assertThat(instance.output()).contains("Starting AOT-processed SampleApplication");
			Receipt first = order(client);
			assertThat(order(client).fencingToken()).isGreaterThan(first.fencingToken());
			assertThat(get(client, "/actuator/metrics/zk.lock.acquire?tag=outcome:acquired"))
				.contains("event:#{#order.eventId}");
			assertThat(get(client, "/actuator/zklocks/event:concert")).contains("\"key\":\"event:concert\"");
			assertThat(get(client, "/actuator/health")).contains("\"status\":\"UP\"");
			await().atMost(Duration.ofSeconds(20))
				.untilAsserted(() -> assertThat(get(client, "/leader")).contains("\"leader\":true")
					.containsPattern("\"beats\":[1-9]"));
		}
	}

	private static Path jar() throws IOException {
		try (DirectoryStream<Path> jars = Files.newDirectoryStream(Path.of("target"),
				"zk-lock-sample-app-*-exec.jar")) {
			List<Path> found = StreamSupport.stream(jars.spliterator(), false).toList();
			assertThat(found).hasSize(1);
			return found.get(0);
		}
	}

	private static Receipt order(RestClient client) {
		return client.post()
			.uri("/orders")
			.contentType(MediaType.APPLICATION_JSON)
			.body(new Order("concert", "ada", 1))
			.retrieve()
			.body(Receipt.class);
	}

	private static String get(RestClient client, String uri) {
		return client.get().uri(uri).retrieve().body(String.class);
	}

}
