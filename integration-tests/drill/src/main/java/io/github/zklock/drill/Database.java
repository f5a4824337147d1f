package io.github.zklock.drill;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

import io.github.zklock.sample.postgres.PostgreSql;
import io.github.zklock.sample.shop.BoxOffice;
import io.github.zklock.sample.shop.Stock;

/**
 * The database that all instances share. This process opens it first: of H2 it is the
 * server for the others until it closes it.
 */
final class Database implements AutoCloseable {

	private final DriverManagerDataSource source;

	private final List<String> arguments;

	private final @Nullable PostgreSql server;

	private final Connection first;

	private Database(DriverManagerDataSource source, List<String> arguments, @Nullable PostgreSql server)
			throws SQLException {
		this.source = source;
		this.arguments = arguments;
		this.server = server;
		this.first = source.getConnection();
		new ResourceDatabasePopulator(new ClassPathResource("schema.sql")).populate(this.first);
	}

	static Database h2(Path directory) throws SQLException {
		Path file = directory.resolve("shop");
		return new Database(new DriverManagerDataSource("jdbc:h2:file:" + file + ";AUTO_SERVER=TRUE", "", ""),
				List.of("--spring.profiles.active=shared", "--shop.database=" + file), null);
	}

	static Database postgreSql() throws Exception {
		PostgreSql server = PostgreSql.start();
		try {
			return new Database(
					new DriverManagerDataSource("jdbc:postgresql://" + server.address(), server.user(),
							server.password()),
					List.of("--spring.profiles.active=postgres", "--shop.postgres=" + server.address(),
							"--shop.postgres-user=" + server.user(), "--shop.postgres-password=" + server.password()),
					server);
		}
		catch (SQLException ex) {
			server.close();
			throw ex;
		}
	}

	/**
	 * Returns how an instance is configured to use this database.
	 * @return arguments of its command line
	 */
	List<String> arguments() {
		return this.arguments;
	}

	Stock stock(String eventId) {
		return new BoxOffice(JdbcClient.create(this.source)).find(eventId).orElseThrow();
	}

	@Override
	public void close() throws Exception {
		// A thread that is interrupted still waits until the database is closed
		boolean interrupted = Thread.interrupted();
		try {
			this.first.close();
			if (this.server != null) {
				this.server.close();
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

}
