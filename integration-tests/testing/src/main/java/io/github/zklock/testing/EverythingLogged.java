package io.github.zklock.testing;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import org.slf4j.LoggerFactory;

/**
 * While it is open, everything that we, ZooKeeper and Curator log comes to the output.
 */
public final class EverythingLogged implements AutoCloseable {

	private final Map<Logger, Level> before = new LinkedHashMap<>();

	/** Opens the logs, also those below whose level a test before has set. */
	public EverythingLogged() {
		List<String> names = List.of("org.apache.zookeeper", "org.apache.curator", "io.github.zklock");
		names.forEach(LoggerFactory::getLogger);
		for (Logger logger : ((LoggerContext) LoggerFactory.getILoggerFactory()).getLoggerList()) {
			if (names.stream().anyMatch((name) -> (logger.getName() + ".").startsWith(name + "."))) {
				this.before.put(logger, logger.getLevel());
				logger.setLevel(names.contains(logger.getName()) ? Level.TRACE : null);
			}
		}
	}

	@Override
	public void close() {
		this.before.forEach(Logger::setLevel);
	}

}
