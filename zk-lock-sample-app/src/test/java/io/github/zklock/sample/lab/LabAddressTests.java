package io.github.zklock.sample.lab;

import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

import io.github.zklock.sample.SampleApplication;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class LabAddressTests {

	private static final String LOGGER = SampleApplication.class.getPackageName();

	@AfterEach
	void resetLogLevel() {
		LoggingSystem.get(getClass().getClassLoader()).setLogLevel(LOGGER, null);
	}

	@Test
	void logOfTheStartEndsWithTheAddressOfThePage(CapturedOutput output) {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(SampleApplication.class)
			.main(SampleApplication.class)
			.run("--server.port=0", "--spring.datasource.url=jdbc:h2:mem:address",
					"--logging.level." + LOGGER + "=INFO")) {
			String port = context.getEnvironment().getProperty("local.server.port");
			// The leader may say meanwhile, on its own thread, that it leads
			List<String> start = output.toString().lines().filter((line) -> line.contains(" main] ")).toList();
			assertThat(start).anyMatch((line) -> line.contains("Started SampleApplication"))
				.last()
				.asString()
				.endsWith("The contention lab: http://localhost:" + port + "/");
		}
	}

}
