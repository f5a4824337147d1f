package io.github.zklock.autoconfigure;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * An application that starts or fails, and what its failure says.
 */
abstract class StartupFixture {

	static ConfigurableApplicationContext run(Class<?> application, String... arguments) {
		SpringApplication spring = new SpringApplication(application);
		spring.setWebApplicationType(WebApplicationType.NONE);
		return spring.run(arguments);
	}

	static void runs(Class<?> application, String... arguments) {
		run(application, arguments).close();
	}

	static void fails(Class<?> application, String... arguments) {
		assertThatThrownBy(() -> runs(application, arguments)).isInstanceOf(Exception.class);
	}

	static String report(CapturedOutput output) {
		String all = output.getOut();
		assertThat(all).contains("APPLICATION FAILED TO START");
		return all.substring(all.indexOf("APPLICATION FAILED TO START"));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
