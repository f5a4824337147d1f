package io.github.zklock.benchmarks.report;

import java.nio.file.Path;
import java.security.CodeSource;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.zookeeper.ZooKeeper;
import org.redisson.Redisson;
import org.springframework.integration.zookeeper.lock.ZookeeperLockRegistry;

import io.github.zklock.benchmarks.process.RedisServer;

/**
 * Which versions take part.
 */
final class Versions {

	private static final Pattern JAR = Pattern.compile("-(\\d[^-]*)\\.jar$");

	private Versions() {
	}

	static String text() {
		return "ZooKeeper %s, Curator %s, Spring Integration %s, Redisson %s, %s".formatted(of(ZooKeeper.class),
				of(InterProcessMutex.class), of(ZookeeperLockRegistry.class), of(Redisson.class),
				RedisServer.version().map((version) -> "Redis " + version).orElse("no Redis"));
	}

	private static String of(Class<?> type) {
		CodeSource source = type.getProtectionDomain().getCodeSource();
		String file = Path.of(source.getLocation().getPath()).getFileName().toString();
		Matcher matcher = JAR.matcher(file);
		return matcher.find() ? matcher.group(1) : "?";
	}

}
