package io.github.zklock.drill;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;
import tools.jackson.databind.JsonNode;

/**
 * Asks all instances for reports, more than may be made at a time.
 */
final class ReportWatch implements AutoCloseable {

	/*-
	 * A report says when it got its permit and when it gave it back, by the clock of the one machine on which all
	 * instances are. Both moments are within the time for which it had the permit.
	 */

	/** How many callers each instance has. */
	private static final int CALLERS = 3;

	private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final List<RestClient> instances;

	private final String event;

	private final List<Span> spans = new ArrayList<>();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private int refused;

	private volatile boolean over;

	ReportWatch(List<String> instances, String event) {
		this.instances = instances.stream().map(RestClient::create).toList();
		this.event = event;
	}

	ReportWatch start() {
		for (RestClient instance : this.instances) {
			for (int caller = 0; caller < CALLERS; caller++) {
				this.threads.execute(() -> ask(instance));
			}
		}
		return this;
	}

	private void ask(RestClient instance) {
		while (!this.over) {
			try {
				JsonNode report = instance.get().uri("/events/{id}/report", this.event).retrieve().body(JsonNode.class);
				if (report != null) {
					made(Instant.parse(report.path("began").asString()),
							Instant.parse(report.path("ended").asString()));
				}
			}
			catch (RestClientException ex) {
				refused();
			}
		}
	}

	synchronized void made(Instant began, Instant ended) {
		this.spans.add(new Span(began, ended));
	}

	// There was no permit in time, or no server
	private void refused() {
		synchronized (this) {
			this.refused++;
		}
		LockSupport.parkNanos(PAUSE_NANOS);
	}

	/**
	 * Counts what was refused.
	 * @return how many reports were asked for in vain
	 */
	synchronized int refusals() {
		return this.refused;
	}

	/**
	 * Counts the reports.
	 * @return how many were made
	 */
	synchronized int reports() {
		return this.spans.size();
	}

	/**
	 * Counts how many were made at a time.
	 * @return the most at one moment
	 */
	synchronized int mostAtOnce() {
		List<Span> byBegin = this.spans.stream().sorted(Comparator.comparing(Span::began)).toList();
		int most = 0;
		for (Span one : byBegin) {
			int now = 0;
			for (Span other : byBegin) {
				now += (!other.began().isAfter(one.began()) && other.ended().isAfter(one.began())) ? 1 : 0;
			}
			most = Math.max(most, now);
		}
		return most;
	}

	@Override
	public void close() throws InterruptedException {
		this.over = true;
		this.threads.shutdown();
		if (!this.threads.awaitTermination(1, TimeUnit.MINUTES)) {
			throw new IllegalStateException("An instance does not answer whether it makes a report");
		}
	}

	/**
	 * A report.
	 *
	 * @param began when it had its permit
	 * @param ended when it gave it back
	 */
	private record Span(Instant began, Instant ended) {
	}

}
