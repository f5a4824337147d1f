package io.github.zklock.sample.lab;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import org.awaitility.Awaitility;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads the lab's events over HTTP, as a page does.
 */
final class LabStream implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final HttpClient client = HttpClient.newHttpClient();

	private final Map<String, JsonNode> latest = new ConcurrentHashMap<>();

	private final List<JsonNode> turns = new CopyOnWriteArrayList<>();

	private final CompletableFuture<Void> end;

	private String event = "";

	private LabStream(int port) {
		this.end = this.client
			.sendAsync(HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/lab/events")).build(),
					HttpResponse.BodyHandlers.ofLines())
			.thenAcceptAsync((response) -> response.body().forEach(this::line),
					(task) -> new Thread(task, "page").start());
	}

	static LabStream open(int port) {
		LabStream stream = new LabStream(port);
		stream.await("state");
		return stream;
	}

	private void line(String line) {
		if (line.startsWith("event:")) {
			this.event = line.substring("event:".length());
		}
		else if (line.startsWith("data:")) {
			receive(JsonMapper.shared().readTree(line.substring("data:".length())));
		}
	}

	private void receive(JsonNode view) {
		if (this.event.equals("contest")) {
			if (view.path("from").asInt() == 0) {
				this.turns.clear();
			}
			view.path("turns").forEach(this.turns::add);
		}
		this.latest.put(this.event, view);
	}

	JsonNode await(String name) {
		return Awaitility.await().atMost(PATIENCE).until(() -> this.latest.get(name), Objects::nonNull);
	}

	JsonNode awaitStage(String stage) {
		return awaitValue("contest", "/stage", stage);
	}

	JsonNode awaitValue(String name, String pointer, String value) {
		return Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> this.latest.get(name), (view) -> view != null && view.at(pointer).asString("").equals(value));
	}

	List<JsonNode> turns() {
		return this.turns;
	}

	CompletableFuture<Void> end() {
		return this.end;
	}

	@Override
	public void close() {
		this.end.cancel(true);
	}

}
