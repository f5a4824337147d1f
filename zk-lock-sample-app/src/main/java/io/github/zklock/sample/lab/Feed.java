package io.github.zklock.sample.lab;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.stereotype.Component;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * The pages that watch the lab.
 */
@Component
class Feed implements SmartLifecycle {

	/*-
	 * It stops first of all, so that the web server, which waits for its requests, waits for no
	 * page; and so that what runs in the lab leaves while there is a lock client.
	 */

	static final int MAX_PAGES = 20;

	private static final Logger log = LoggerFactory.getLogger(Feed.class);

	private final Lab lab;

	private final Set<PageStream> pages = ConcurrentHashMap.newKeySet();

	private boolean running;

	Feed(Lab lab) {
		this.lab = lab;
	}

	/**
	 * Begins to send a page what happens.
	 * @return the stream
	 * @throws ErrorResponseException if there are too many, or the application stops
	 */
	synchronized SseEmitter subscribe() {
		if (!this.running || this.pages.size() >= MAX_PAGES) {
			throw unavailable(this.running ? "%d pages are open already".formatted(MAX_PAGES)
					: "The application is shutting down");
		}
		PageStream page = new PageStream(this.lab, this.pages::remove);
		this.pages.add(page);
		return page.open();
	}

	private static ErrorResponseException unavailable(String reason) {
		return new ErrorResponseException(HttpStatus.SERVICE_UNAVAILABLE,
				ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, reason), null);
	}

	int pages() {
		return this.pages.size();
	}

	@Override
	public synchronized void start() {
		this.lab.open();
		this.running = true;
	}

	@Override
	public void stop() {
		synchronized (this) {
			this.running = false;
		}
		this.pages.forEach(PageStream::end);
		try {
			this.lab.close();
		}
		catch (InterruptedException ex) {
			log.warn("The lab is still leaving ZooKeeper");
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public synchronized boolean isRunning() {
		return this.running;
	}

}
