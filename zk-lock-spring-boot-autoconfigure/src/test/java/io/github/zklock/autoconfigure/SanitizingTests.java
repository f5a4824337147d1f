package io.github.zklock.autoconfigure;

import java.util.Map;

import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.context.properties.ConfigurationPropertiesReportEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.env.EnvironmentEndpointAutoConfiguration;
import org.springframework.boot.actuate.context.properties.ConfigurationPropertiesReportEndpoint;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.env.EnvironmentEndpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.SystemEnvironmentPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

class SanitizingTests {

	private static final String SECRET = "z5-very-secret";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(EnvironmentEndpointAutoConfiguration.class,
				ConfigurationPropertiesReportEndpointAutoConfiguration.class, ZkLockAutoConfiguration.class))
		.withPropertyValues("zk-lock.embedded.enabled=true", "zk-lock.fail-fast=false", "zk-lock.auth[0].username=shop",
				"zk-lock.auth[0].password=" + SECRET, "management.endpoints.web.exposure.include=*",
				"management.endpoint.env.show-values=always", "management.endpoint.configprops.show-values=always",
				"management.endpoints.jmx.exposure.include=*")
		.withInitializer((context) -> context.getEnvironment()
			.getPropertySources()
			.addLast(new SystemEnvironmentPropertySource("variables", Map.of("ZKLOCK_AUTH_1_PASSWORD", SECRET))));

	@Test
	void endpointsThatShowValuesDoNotShowTheSecret() {
		this.runner.withConfiguration(AutoConfigurations.of(ZkLockSanitizingAutoConfiguration.class)).run((context) -> {
			assertThat(environment(context.getBean(EnvironmentEndpoint.class))).contains("ZKLOCK_AUTH_1_PASSWORD")
				.contains("shop")
				.doesNotContain(SECRET);
			assertThat(properties(context.getBean(ConfigurationPropertiesReportEndpoint.class))).contains("shop")
				.doesNotContain(SECRET);
		});
	}

	@Test
	void whatIsNotOursIsShownAsTheApplicationWants() {
		this.runner.withConfiguration(AutoConfigurations.of(ZkLockSanitizingAutoConfiguration.class))
			.withPropertyValues("shop.password=shown")
			.run((context) -> assertThat(environment(context.getBean(EnvironmentEndpoint.class)))
				.contains("shop.password=shown"));
	}

	@Test
	void alsoWhereTheLocksAreDisabled() {
		this.runner.withConfiguration(AutoConfigurations.of(ZkLockSanitizingAutoConfiguration.class))
			.withPropertyValues("zk-lock.enabled=false")
			.run((context) -> assertThat(environment(context.getBean(EnvironmentEndpoint.class))).contains("shop")
				.doesNotContain(SECRET));
	}

	@Test
	void withoutUsTheyWould() {
		this.runner.run((context) -> {
			assertThat(environment(context.getBean(EnvironmentEndpoint.class))).contains(SECRET);
			assertThat(properties(context.getBean(ConfigurationPropertiesReportEndpoint.class))).contains(SECRET);
		});
	}

	@Test
	void nothingIsMadeWithoutTheActuator() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ZkLockSanitizingAutoConfiguration.class))
			.withClassLoader(new FilteredClassLoader(SanitizingFunction.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("zkLockSanitizingFunction"));
	}

	private static String environment(EnvironmentEndpoint endpoint) {
		return endpoint.environment(null)
			.getPropertySources()
			.stream()
			.flatMap((source) -> source.getProperties().entrySet().stream())
			.map((property) -> property.getKey() + "=" + property.getValue().getValue())
			.toList()
			.toString();
	}

	private static String properties(ConfigurationPropertiesReportEndpoint endpoint) {
		return endpoint.configurationProperties()
			.getContexts()
			.values()
			.stream()
			.flatMap((context) -> context.getBeans().values().stream())
			.map((bean) -> bean.getProperties().toString())
			.toList()
			.toString();
	}

}
