package io.github.zklock.drill;

import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.zklock.harness.ChildProcess;
import io.github.zklock.harness.Launch;
import io.github.zklock.harness.Waiting;

/**
 * An instance of the shop in a process of its own, from the sample's jar.
 */
final class ShopInstance implements AutoCloseable {

	private static final Pattern STARTED = Pattern.compile("Tomcat started on port (\\d+).*Started SampleApplication",
			Pattern.DOTALL);

	private static final Duration START = Duration.ofMinutes(2);

	private final int number;

	private final ChildProcess process;

	private ShopInstance(int number, ChildProcess process) {
		this.number = number;
		this.process = process;
	}

	static ShopInstance start(int number, Path directory, String servers, Database database) {
		return new ShopInstance(number, Launch.jar(jar())
			.options(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-Djava.io.tmpdir=" + directory))
			.arguments(database.arguments())
			.arguments(List.of("--server.port=0", "--zk-lock.connect-string=" + servers, "--zk-lock.session-timeout=8s",
					"--zk-lock.instance=instance " + number, "--shop.audit=* * * * * *", "--shop.audit-within=700ms"))
			.start(directory.resolve("instance-" + number + ".log")));
	}

	// The build puts it beside the drill
	private static Path jar() {
		try {
			return Path.of(ShopInstance.class.getProtectionDomain().getCodeSource().getLocation().toURI())
				.resolveSibling("shop.jar");
		}
		catch (URISyntaxException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Waits until it serves.
	 * @return its address
	 * @throws IllegalStateException if it does not start, with its log if it has ended
	 */
	String awaitStarted() {
		return "http://localhost:" + Waiting.present("instance %d serves".formatted(this.number), START, this::port);
	}

	private Optional<String> port() {
		boolean alive = this.process.isAlive();
		String log = this.process.log();
		if (!alive) {
			throw new IllegalStateException("Instance %d ended:%n%s".formatted(this.number, log));
		}
		Matcher started = STARTED.matcher(log);
		return started.find() ? Optional.of(started.group(1)) : Optional.empty();
	}

	@Override
	public void close() {
		this.process.close();
	}

}
