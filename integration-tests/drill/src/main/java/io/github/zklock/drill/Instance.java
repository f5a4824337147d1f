package io.github.zklock.drill;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An instance of the shop in a process of its own.
 */
final class Instance implements AutoCloseable {

	private static final Pattern STARTED = Pattern.compile("Tomcat started on port (\\d+).*Started SampleApplication",
			Pattern.DOTALL);

	private static final Duration START = Duration.ofMinutes(2);

	private final int number;

	private final Jvm jvm;

	private Instance(int number, Jvm jvm) {
		this.number = number;
		this.jvm = jvm;
	}

	static Instance start(int number, Path directory, String servers, Database database) throws IOException {
		List<String> arguments = new ArrayList<>(database.arguments());
		arguments.add("--server.port=0");
		arguments.add("--zk-lock.connect-string=" + servers);
		arguments.add("--zk-lock.session-timeout=8s");
		arguments.add("--zk-lock.instance=instance " + number);
		return new Instance(number,
				Jvm.start(InstanceMain.class, directory.resolve("instance-" + number + ".log"), List.of(), arguments));
	}

	/**
	 * Waits until it serves.
	 * @return its address
	 * @throws Exception if it does not start
	 */
	String awaitStarted() throws Exception {
		return "http://localhost:" + Waiting.until("instance %d serves".formatted(this.number), START, this::port);
	}

	private Optional<String> port() throws IOException {
		String log = this.jvm.log();
		if (!this.jvm.isAlive()) {
			throw new IOException("Instance %d ended:%n%s".formatted(this.number, log));
		}
		Matcher started = STARTED.matcher(log);
		return started.find() ? Optional.of(started.group(1)) : Optional.empty();
	}

	@Override
	public void close() throws InterruptedException {
		this.jvm.close();
	}

}
