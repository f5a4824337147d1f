package io.github.zklock.sample.lab;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.MediaType;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * Sends one page what happens.
 */
final class PageStream {

	/*-
	 * A thread of its own looks ten times a second and sends what has changed: whatever happens
	 * in between comes together, and nothing is kept for a page that reads slowly.
	 */

	private static final Logger log = LoggerFactory.getLogger(PageStream.class);

	private static final long PERIOD_MILLIS = 100;

	/** A page that has gone is noticed by writing to it. */
	private static final Duration HEARTBEAT = Duration.ofSeconds(5);

	private final Lab lab;

	private final Consumer<PageStream> whenOver;

	private final SseEmitter emitter = new SseEmitter(0L);

	private final CountDownLatch ended = new CountDownLatch(1);

	private final Map<String, Object> sent = new HashMap<>();

	private @Nullable ContestRun contest;

	private int turnsSent;

	private long lastSent = System.nanoTime();

	PageStream(Lab lab, Consumer<PageStream> whenOver) {
		this.lab = lab;
		this.whenOver = whenOver;
	}

	SseEmitter open() {
		this.emitter.onCompletion(this::end);
		this.emitter.onError((ex) -> end());
		Thread thread = new Thread(this::run, "lab-page");
		thread.setDaemon(true);
		thread.start();
		return this.emitter;
	}

	void end() {
		this.ended.countDown();
	}

	private void run() {
		try {
			do {
				sendChanges();
			}
			while (!this.ended.await(PERIOD_MILLIS, TimeUnit.MILLISECONDS));
			this.emitter.complete();
		}
		catch (IOException | IllegalStateException ex) {
			log.debug("A page has gone", ex);
		}
		catch (InterruptedException ex) {
			this.emitter.complete();
		}
		finally {
			this.whenOver.accept(this);
		}
	}

	private void sendChanges() throws IOException {
		send("state", this.lab.state());
		send("results", this.lab.results());
		ContestRun run = this.lab.current();
		if (run != null) {
			if (run != this.contest) {
				this.turnsSent = 0;
				this.contest = run;
			}
			ContestView view = run.view(this.turnsSent);
			send("contest", view);
			this.turnsSent = view.from() + view.turns().size();
		}
		send("line", this.lab.queue());
		if (System.nanoTime() - this.lastSent > HEARTBEAT.toNanos()) {
			send(SseEmitter.event().comment("still here"));
		}
	}

	private void send(String name, Object view) throws IOException {
		if (!view.equals(this.sent.put(name, view))) {
			send(SseEmitter.event().name(name).data(view, MediaType.APPLICATION_JSON));
		}
	}

	private void send(SseEmitter.SseEventBuilder event) throws IOException {
		this.emitter.send(event);
		this.lastSent = System.nanoTime();
	}

}
