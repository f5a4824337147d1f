package io.github.zklock.faults;

import java.io.PrintStream;
import java.time.Duration;

import org.apache.curator.framework.CuratorFramework;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.github.zklock.LockUnavailableException;
import io.github.zklock.autoconfigure.ZkLockCuratorCustomizer;
import io.github.zklock.zookeeper.ZooKeeperLockClient;
import io.github.zklock.zookeeper.ZooKeeperLockInspector;

/**
 * Waits for a server that does not answer, in each way in which that is waited for, and
 * prints when it begins to wait and when it has given up.
 */
public final class AwaitingMain {

	/** An application that starts, and one that asks who holds a lock. */
	static final int WAYS = 2;

	/** It begins to wait. */
	static final String WAITS = "waits";

	/** It has given up. */
	static final String ENDED = "ended";

	private static final PrintStream ANSWERS = System.out;

	private AwaitingMain() {
	}

	/**
	 * Waits.
	 * @param args the connect string
	 */
	public static void main(String[] args) {
		System.setOut(System.err);
		start(args[0]);
		ANSWERS.println(ENDED);
		inspect(args[0]);
		ANSWERS.println(ENDED);
		System.exit(0);
	}

	private static void start(String connectString) {
		try {
			new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
				.bannerMode(Banner.Mode.OFF)
				.run("--zk-lock.connect-string=" + connectString, "--zk-lock.connection-timeout=5s");
			throw new AssertionError("It has started without a server");
		}
		catch (RuntimeException ex) {
			System.err.println("As expected: " + ex);
		}
	}

	private static void inspect(String connectString) {
		try (CuratorFramework curator = ClientMain.curator(connectString, Duration.ofSeconds(4));
				ZooKeeperLockClient client = ZooKeeperLockClient.builder(curator).build();
				ZooKeeperLockInspector inspector = new ZooKeeperLockInspector(client, () -> {
					ANSWERS.println(WAITS);
					return ClientMain.curatorBuilder(connectString, Duration.ofSeconds(4)).build();
				}, Duration.ofMinutes(1))) {
			inspector.line("a");
			throw new AssertionError("There was an answer without a server");
		}
		catch (LockUnavailableException ex) {
			System.err.println("As expected: " + ex);
		}
	}

	/** An application with locks. */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		// The last thing before it connects
		@Bean
		ZkLockCuratorCustomizer announcement() {
			return (builder) -> ANSWERS.println(WAITS);
		}

	}

}
