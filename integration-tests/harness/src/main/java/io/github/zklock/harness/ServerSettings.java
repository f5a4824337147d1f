package io.github.zklock.harness;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * How ZooKeeper servers are set up.
 *
 * @param configuration lines of their configuration, of which later ones win
 * @param options options of their JVMs, of which later ones win
 */
public record ServerSettings(List<String> configuration, List<String> options) {

	/** The tick of servers for tests. */
	public static final int TICK_MILLIS = 250;

	/**
	 * The option by which a JVM without a logging of its own logs warnings to its output.
	 */
	public static final String LOGGING = "-Dlogback.configurationFile=io/github/zklock/harness/logback-process.xml";

	private static final ServerSettings COMMON = new ServerSettings(
			List.of("maxClientCnxns=0", "4lw.commands.whitelist=*", "admin.enableServer=false"),
			List.of("-Dzookeeper.jmx.log4j.disable=true", LOGGING));

	/**
	 * Makes settings for tests of what clients do when servers fail: short ticks, from
	 * two of which to a minute a session may be long, small JVMs that start soon, and
	 * nothing that is forced to the disk or reaped.
	 * @return the settings
	 */
	public static ServerSettings forTests() {
		return COMMON.with("tickTime=" + TICK_MILLIS, "initLimit=20", "syncLimit=8",
				"minSessionTimeout=" + 2 * TICK_MILLIS, "maxSessionTimeout=60000", "-Xmx128m",
				"-XX:TieredStopAtLevel=1", "-Dzookeeper.forceSync=no", "-Dzookeeper.preAllocSize=64",
				"-Dznode.container.checkIntervalMs=1000000");
	}

	/**
	 * Makes settings as they are where it matters: every transaction is forced to the
	 * disk before it is answered.
	 * @return the settings
	 */
	public static ServerSettings durable() {
		return COMMON.with("tickTime=2000", "initLimit=10", "syncLimit=5", "-Xmx512m");
	}

	/**
	 * Adds settings, which win.
	 * @param more lines of the configuration, and options of the JVMs, which begin with a
	 * hyphen
	 * @return the settings together
	 */
	public ServerSettings with(String... more) {
		return with(Arrays.asList(more));
	}

	/**
	 * Adds settings, which win.
	 * @param more lines of the configuration, and options of the JVMs, which begin with a
	 * hyphen
	 * @return the settings together
	 */
	public ServerSettings with(List<String> more) {
		List<String> lines = new ArrayList<>(this.configuration);
		List<String> jvm = new ArrayList<>(this.options);
		more.forEach((one) -> (one.startsWith("-") ? jvm : lines).add(one));
		return new ServerSettings(List.copyOf(lines), List.copyOf(jvm));
	}

}
