package io.github.zklock.testing;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import org.slf4j.LoggerFactory;

/**
 * Records what the product logs as warning or error.
 */
public final class Warnings extends AppenderBase<ILoggingEvent> implements AutoCloseable {

	private final Queue<ILoggingEvent> logged = new ConcurrentLinkedQueue<>();

	private final Logger logger;

	/** Begins to listen. */
	public Warnings() {
		LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
		this.logger = context.getLogger("io.github.zklock");
		setContext(context);
		start();
		this.logger.addAppender(this);
	}

	@Override
	protected void append(ILoggingEvent event) {
		if (event.getLevel().isGreaterOrEqual(Level.WARN)) {
			this.logged.add(event);
		}
	}

	/**
	 * Returns the messages.
	 */
	public String messages() {
		return this.logged.stream().map(ILoggingEvent::getFormattedMessage).collect(Collectors.joining("\n"));
	}

	/**
	 * Returns what was logged, except what has one of the texts in it.
	 */
	public List<String> except(List<String> announced) {
		return this.logged.stream()
			.filter((event) -> announced.stream().noneMatch(event.getFormattedMessage()::contains))
			.map((event) -> "logged %s: %s %s".formatted(event.getLevel(), event.getFormattedMessage(),
					ThrowableProxyUtil.asString(event.getThrowableProxy())))
			.toList();
	}

	@Override
	public void close() {
		this.logger.detachAppender(this);
		stop();
	}

}
