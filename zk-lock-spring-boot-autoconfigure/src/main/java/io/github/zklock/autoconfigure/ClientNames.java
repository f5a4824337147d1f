package io.github.zklock.autoconfigure;

import java.util.function.Consumer;

import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * Finds the names of a client and of strategies, with and without servers.
 */
final class ClientNames {

	private static final String STRATEGY_SUFFIX = "LockStrategy";

	private ClientNames() {
	}

	/**
	 * Names a client, as far as anything is configured.
	 * @param properties the properties
	 * @param environment has the application's name if the properties do not
	 * @param application is given that name
	 * @param instance is given the name of the instance
	 */
	static void apply(ZkLockProperties properties, Environment environment, Consumer<String> application,
			Consumer<String> instance) {
		String configured = StringUtils.hasText(properties.getApplication()) ? properties.getApplication()
				: environment.getProperty("spring.application.name");
		if (StringUtils.hasText(configured)) {
			application.accept(configured);
		}
		String named = properties.getInstance();
		if (StringUtils.hasText(named)) {
			instance.accept(named);
		}
	}

	/**
	 * Returns the short name of a strategy.
	 * @param bean the name of its bean
	 * @return the name without {@code LockStrategy} at its end
	 */
	static String strategy(String bean) {
		return (bean.endsWith(STRATEGY_SUFFIX) && bean.length() > STRATEGY_SUFFIX.length())
				? bean.substring(0, bean.length() - STRATEGY_SUFFIX.length()) : bean;
	}

}
