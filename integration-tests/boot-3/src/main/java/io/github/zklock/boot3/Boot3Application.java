package io.github.zklock.boot3;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.support.locks.LockRegistry;

import io.github.zklock.LockClient;
import io.github.zklock.LockSessionStatus;

/**
 * Books seats, one caller at a time.
 */
@SpringBootApplication
public class Boot3Application {

	public static void main(String[] args) {
		SpringApplication.run(Boot3Application.class, args);
	}

	// tag::health[]
	@Bean
	HealthIndicator zklockHealthIndicator(LockSessionStatus session) {
		return () -> {
			String problem = session.problem();
			return switch (session.state()) {
				case CONNECTED ->
					(problem != null) ? Health.down().withDetail("problem", problem).build() : Health.up().build();
				case SUSPENDED -> Health.outOfService().build();
				case LOST -> Health.down().build();
			};
		};
	}
	// end::health[]

	// tag::integration[]
	@Bean
	LockRegistry lockRegistry(LockClient client) {
		return (key) -> client.asLock(key.toString());
	}
	// end::integration[]

}
