package io.github.zklock.autoconfigure;

import java.util.Map;
import java.util.TreeMap;

import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.boot.context.logging.LoggingApplicationListener;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationListener;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.util.StringUtils;

/**
 * Keeps ZooKeeper's client from logging a stack trace each second for as long as no
 * server answers, and its environment line by line: {@link ConnectionLog} says the same
 * in one line. Only where the {@code zk-lock} properties say where the servers are, and
 * only where the application has not set a level of its own.
 */
final class ClientLogLevels implements ApplicationListener<ApplicationEnvironmentPreparedEvent>, Ordered {

	private static final String SOURCE = "zk-lock: log levels of the ZooKeeper client";

	private static final String LEVEL = "logging.level.";

	private static final Map<String, String> LEVELS = Map.of("org.apache.zookeeper", "warn",
			"org.apache.zookeeper.ClientCnxn", "error", "org.apache.zookeeper.ClientCnxnSocketNIO", "off",
			"org.apache.zookeeper.ClientCnxnSocketNetty", "off", "org.apache.zookeeper.client.StaticHostProvider",
			"off", "org.apache.zookeeper.common.ClientX509Util", "error",
			"org.apache.zookeeper.server.ServerCnxnFactory", "error", "org.apache.curator", "warn",
			"org.apache.curator.ConnectionState", "off", "org.apache.curator.framework.state.ConnectionStateManager",
			"error");

	@Override
	public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
		ConfigurableEnvironment environment = event.getEnvironment();
		if (!isOurs(environment)) {
			return;
		}
		Map<String, Object> levels = new TreeMap<>();
		LEVELS.forEach((logger, level) -> {
			if (!isDetailed(environment, logger)) {
				levels.put(LEVEL + logger, level);
			}
		});
		environment.getPropertySources().addLast(new MapPropertySource(SOURCE, levels));
	}

	private static boolean isOurs(Environment environment) {
		// By a binder: a placeholder that nothing resolves does not matter to a test with
		// a
		// server of its own, or to a connection that is a bean
		return environment.getProperty("zk-lock.enabled", Boolean.class, true) && (Binder.get(environment)
			.bind("zk-lock.connect-string", String.class)
			.map(StringUtils::hasText)
			.orElse(false) || environment.getProperty("zk-lock.embedded.enabled", Boolean.class, false));
	}

	// Who wants details of a package wants those of its classes
	private static boolean isDetailed(Environment environment, String logger) {
		for (String name = logger; name.indexOf('.') > 0; name = name.substring(0, name.lastIndexOf('.'))) {
			String level = environment.getProperty(LEVEL + name, "");
			if (level.equalsIgnoreCase("debug") || level.equalsIgnoreCase("trace")) {
				return true;
			}
		}
		return false;
	}

	// After the configuration files, before the levels are set
	@Override
	public int getOrder() {
		return LoggingApplicationListener.DEFAULT_ORDER - 1;
	}

}
