package io.github.zklock.sample.web;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.client.RestClient;

import io.github.zklock.LeaderElection;
import io.github.zklock.sample.SampleApplication;
import io.github.zklock.spring.GrantedEvent;
import io.github.zklock.spring.RevokedEvent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A leader that is stopped, with its web server.
 */
class LeaderShutdownTests {

	private final CountDownLatch granted = new CountDownLatch(1);

	private final List<String> answers = new CopyOnWriteArrayList<>();

	@Test
	void itYieldsWhileTheWebServerStillServes() {
		try (ConfigurableApplicationContext application = new SpringApplicationBuilder(SampleApplication.class)
			.initializers((context) -> context.addApplicationListener(new Asking(context)))
			.run("--server.port=0", "--spring.datasource.url=jdbc:h2:mem:leader")) {
			// A term that ends before it is announced has no events
			await().until(() -> this.granted.getCount() == 0);
			assertThat(application.getBean(LeaderElection.class).isLeader()).isTrue();
		}
		assertThat(this.answers).singleElement().asString().contains("\"leader\":false");
	}

	/** Asks the instance itself, on another connection, when it has yielded. */
	private final class Asking implements ApplicationListener<ApplicationEvent> {

		private final ConfigurableApplicationContext context;

		private Asking(ConfigurableApplicationContext context) {
			this.context = context;
		}

		@Override
		public void onApplicationEvent(ApplicationEvent event) {
			if (event instanceof GrantedEvent) {
				LeaderShutdownTests.this.granted.countDown();
			}
			else if (event instanceof RevokedEvent) {
				LeaderShutdownTests.this.answers.add(ask());
			}
		}

		private @Nullable String ask() {
			return RestClient
				.create("http://localhost:" + this.context.getEnvironment().getProperty("local.server.port"))
				.get()
				.uri("/leader")
				.retrieve()
				.body(String.class);
		}

	}

}
