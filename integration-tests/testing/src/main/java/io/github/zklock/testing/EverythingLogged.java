package io.github.zklock.testing;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.slf4j.LoggerFactory;

/**
 * While it is open, everything that we, ZooKeeper and Curator log comes to the output.
 */
public final class EverythingLogged implements AutoCloseable {

	private final Map<Logger, Level> before = new LinkedHashMap<>();

	/** Opens the logs. */
	public EverythingLogged() {
		for (String name : List.of("org.apache.zookeeper", "org.apache.curator", "io.github.zklock")) {
			Logger logger = (Logger) LoggerFactory.getLogger(name);
			this.before.put(logger, logger.getLevel());
			logger.setLevel(Level.TRACE);
		}
	}

	@Override
	public void close() {
		this.before.forEach(Logger::setLevel);
	}

}
