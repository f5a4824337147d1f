package io.github.zklock.benchmarks.run;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

import io.github.zklock.benchmarks.peer.Connection;
import io.github.zklock.benchmarks.peer.Contestant;
import io.github.zklock.benchmarks.process.RedisServer;
import io.github.zklock.benchmarks.process.ZooKeeperServers;
import io.github.zklock.harness.Launch;
import io.github.zklock.harness.ServerMain;

/**
 * The servers that run while a plan is carried out.
 */
final class Site implements AutoCloseable {

	private final Plan plan;

	private final ZooKeeperServers zooKeeper;

	private final Map<Contestant, RedisServer> redis = new EnumMap<>(Contestant.class);

	Site(Plan plan, int servers) {
		this(plan, servers, plan.disk());
	}

	Site(Plan plan, int servers, Duration disk) {
		this.plan = plan;
		this.zooKeeper = ZooKeeperServers.start(servers, plan.work(),
				Stream.concat(recording("server").stream(), Stream.of(ServerMain.slowDisk(disk))).toList());
		// Redis does not care how many ZooKeeper servers there are
		if (plan.redis() && RedisServer.version().isPresent() && servers == plan.serverCounts().get(0)) {
			try {
				this.redis.put(Contestant.REDISSON_ALWAYS, RedisServer.start(plan.work(), "always"));
				this.redis.put(Contestant.REDISSON_EVERYSEC, RedisServer.start(plan.work(), "everysec"));
			}
			catch (RuntimeException ex) {
				close();
				throw ex;
			}
		}
	}

	Plan plan() {
		return this.plan;
	}

	ZooKeeperServers zooKeeper() {
		return this.zooKeeper;
	}

	List<Contestant> present(List<Contestant> contestants) {
		return contestants.stream()
			.filter(this.plan.contestants()::contains)
			.filter((contestant) -> !contestant.usesRedis() || this.redis.containsKey(contestant))
			.toList();
	}

	Duration serverCpu(Contestant contestant) {
		RedisServer server = this.redis.get(contestant);
		return (server != null) ? server.cpu() : this.zooKeeper.cpu();
	}

	static String root(Contestant contestant) {
		return "/" + contestant.name().toLowerCase(Locale.ROOT);
	}

	Connection connection(Contestant contestant, int process) {
		RedisServer server = this.redis.get(contestant);
		return new Connection((server != null) ? server.connectString() : this.zooKeeper.connectString(process),
				root(contestant), Plan.SESSION_MILLIS);
	}

	Connection connection(Contestant contestant, String servers) {
		return new Connection(servers, root(contestant), Plan.SESSION_MILLIS);
	}

	Connection everyServer(Contestant contestant, int sessionMillis) {
		RedisServer server = this.redis.get(contestant);
		return new Connection((server != null) ? server.connectString() : this.zooKeeper.connectString(),
				root(contestant), sessionMillis);
	}

	Connection longConnection(Contestant contestant, int process) {
		return new Connection(this.zooKeeper.connectString(process), root(contestant),
				ZooKeeperServers.MAX_SESSION_MILLIS);
	}

	/**
	 * Makes the options by which a worker JVM has the classes of its build.
	 * @param contestant what it locks with
	 * @return the options; none if the build is this one
	 */
	List<String> build(Contestant contestant) {
		Path other = this.plan.otherBuild();
		return (contestant == Contestant.OTHER_BUILD && other != null)
				? List.of("-cp", other + File.pathSeparator + Launch.classPath()) : List.of();
	}

	/**
	 * Makes the options by which a JVM records what it does.
	 * @param name what it is
	 * @return the options; none if no recordings are wanted
	 */
	List<String> recording(String name) {
		Path directory = this.plan.recordings();
		if (directory == null) {
			return List.of();
		}
		try {
			Files.createDirectories(directory);
			// What it says when it starts would be taken for an answer
			return List.of("-Xlog:jfr+startup=off",
					"-XX:StartFlightRecording=settings=profile,dumponexit=true,filename="
							+ Files.createTempFile(directory, name + "-", ".jfr"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() {
		this.zooKeeper.close();
		this.redis.values().forEach(RedisServer::close);
	}

}
