package io.github.zklock.sample.shop;

import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import io.github.zklock.sample.postgres.PostgreSql;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of the shop again, with a PostgreSQL server instead of H2.
 */
@Tag("slow")
class PostgresIT {

	@TempDir
	private static Path directory;

	private static PostgreSql server;

	@BeforeAll
	static void start() throws Exception {
		Assumptions.assumeTrue(PostgreSql.isInstalled() || "true".equals(System.getenv("CI")),
				"There is no PostgreSQL here; Debian's package postgresql has it");
		server = PostgreSql.start();
	}

	@AfterAll
	static void stop() throws Exception {
		if (server != null) {
			server.close();
		}
	}

	@DynamicPropertySource
	static void useTheServer(DynamicPropertyRegistry registry) {
		registry.add("shop.postgres", () -> server.address());
		registry.add("shop.postgres-user", () -> server.user());
		registry.add("shop.postgres-password", () -> server.password());
		registry.add("shop.zookeeper", () -> directory.toString());
	}

	@Test
	void nobodyElseMayLogIn() {
		assertThatExceptionOfType(SQLException.class).isThrownBy(
				() -> DriverManager.getConnection("jdbc:postgresql://" + server.address(), server.user(), "guess"));
	}

	@Nested
	@ActiveProfiles("postgres")
	@DirtiesContext
	class Shop extends ShopTests {

	}

	@Nested
	@ActiveProfiles("postgres")
	@DirtiesContext
	class Fence extends BoxOfficeTests {

	}

	@Nested
	@ActiveProfiles({ "lab", "postgres" })
	@DirtiesContext
	class LateOrders extends LateOrderTests {

	}

}
