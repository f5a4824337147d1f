package io.github.zklock.drill;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;
import tools.jackson.databind.JsonNode;

/**
 * Asks the instances again and again which one leads.
 */
final class LeaderWatch implements AutoCloseable {

	/*-
	 * The instances are asked one after the other. One that says twice in a row that it leads, in
	 * the same term, has led all the time between the two answers; if another one has said so in
	 * between, there were two leaders.
	 */

	private static final long PAUSE_MILLIS = 20;

	private final List<RestClient> instances;

	private final @Nullable Long[] last;

	private final boolean[] rivals;

	private final Set<Long> terms = new HashSet<>();

	private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();

	private @Nullable Future<?> looking;

	private int twoAtOnce;

	LeaderWatch(List<String> instances) {
		this.instances = instances.stream().map(RestClient::create).toList();
		this.last = new @Nullable Long[instances.size()];
		this.rivals = new boolean[instances.size()];
	}

	LeaderWatch start() {
		this.looking = this.thread.scheduleWithFixedDelay(this::look, 0, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
		return this;
	}

	private void look() {
		for (int instance = 0; instance < this.instances.size(); instance++) {
			seen(instance, ask(this.instances.get(instance)));
		}
	}

	// One that does not answer has not said that it leads
	private static @Nullable Long ask(RestClient instance) {
		try {
			JsonNode state = instance.get().uri("/leader").retrieve().body(JsonNode.class);
			return (state != null && state.path("leader").asBoolean()) ? (Long) state.path("term").asLong() : null;
		}
		catch (RestClientException ex) {
			return null;
		}
	}

	synchronized void seen(int instance, @Nullable Long term) {
		if (term != null) {
			if (term.equals(this.last[instance]) && this.rivals[instance]) {
				this.twoAtOnce++;
			}
			this.terms.add(term);
			Arrays.fill(this.rivals, true);
		}
		this.last[instance] = term;
		this.rivals[instance] = false;
	}

	/**
	 * Counts the terms that were seen.
	 * @return how many there were
	 */
	synchronized int terms() {
		return this.terms.size();
	}

	/**
	 * Counts how often two instances led at once.
	 * @return how often that was seen
	 */
	synchronized int twoAtOnce() {
		return this.twoAtOnce;
	}

	/**
	 * Looks no longer.
	 * @throws IllegalStateException if it had already ended, by a failure
	 */
	@Override
	public void close() throws InterruptedException {
		this.thread.shutdown();
		if (!this.thread.awaitTermination(1, TimeUnit.MINUTES)) {
			throw new IllegalStateException("An instance does not say whether it leads");
		}
		if (this.looking != null) {
			assertNotFailed(this.looking);
		}
	}

	// A task that fails is not run again; one that does not is cancelled in the end
	private static void assertNotFailed(Future<?> ended) throws InterruptedException {
		try {
			ended.get();
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException("The leaders were not watched to the end", ex.getCause());
		}
		catch (CancellationException ex) {
			// As it should be
		}
	}

}
