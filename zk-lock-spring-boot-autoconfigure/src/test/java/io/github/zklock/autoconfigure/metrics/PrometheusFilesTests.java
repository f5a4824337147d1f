package io.github.zklock.autoconfigure.metrics;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LeaderElection;
import io.github.zklock.LockListener.Event;
import io.github.zklock.LockListener.Way;
import io.github.zklock.LockMode;
import io.github.zklock.LockSessionStatus;
import io.github.zklock.LockSessionStatus.State;
import io.github.zklock.aop.InMemoryLockClient;
import io.github.zklock.metrics.LockMetrics;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holds the alert rules and the dashboard in the documentation to what an application
 * shows to Prometheus.
 */
@Timeout(60)
class PrometheusFilesTests {

	private static final Path FOLDER = Path.of("..", "docs", "operations");

	private static final String RULES = "zk-lock-alerts.yml";

	private static final String DASHBOARD = "zk-lock-dashboard.json";

	private static final Pattern NAME = Pattern.compile("\\bzk_lock_\\w+");

	/**
	 * A label and its value, where it is one value and no variable of the dashboard's.
	 */
	private static final Pattern LABEL = Pattern.compile("\\b(outcome|reason)!?=\\\\?\"([^\"\\\\]+)");

	private static final CountedSession SESSION = new CountedSession(State.CONNECTED, 1, Duration.ofSeconds(15),
			"zk1:2181", 3, 5, 7);

	private static String file(String name) throws IOException {
		return Files.readString(FOLDER.resolve(name));
	}

	private static Set<String> found(Pattern pattern, String text) {
		return pattern.matcher(text).results().map(MatchResult::group).collect(Collectors.toCollection(TreeSet::new));
	}

	private static String scraped() {
		PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
		try {
			new LeaderMeters(registry,
					Stream.of(LeaderElection.of(new InMemoryLockClient(), "billing", new LeaderElection.Listener() {
					})), List.of("billing"));
			LockMetrics metrics = new LockMetrics(registry, SESSION);
			Event event = new Event(1, List.of("a"), "a", LockMode.EXCLUSIVE, "sequential", Way.GRANTED, Duration.ZERO);
			metrics.asked(event);
			metrics.acquired(event);
			metrics.released(event);
			return registry.scrape();
		}
		finally {
			registry.close();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { RULES, DASHBOARD, "zk-lock-alerts-test.yml" })
	void namesOnlyMetricsThatThereAre(String name) throws IOException {
		String shown = scraped().lines().filter((line) -> !line.startsWith("#")).collect(Collectors.joining("\n"));
		assertThat(found(NAME, file(name))).isNotEmpty().isSubsetOf(found(NAME, shown));
	}

	@ParameterizedTest
	@ValueSource(strings = { RULES, DASHBOARD })
	void namesOnlyOutcomesAndReasonsThatThereAre(String name) throws IOException {
		String shown = scraped();
		List<MatchResult> labels = LABEL.matcher(file(name)).results().toList();
		assertThat(labels).isNotEmpty();
		assertThat(labels)
			.allSatisfy((label) -> assertThat(shown).contains(label.group(1) + "=\"" + label.group(2) + "\""));
	}

	@Test
	void eachCounterOfASessionIsShownUnderItsName() {
		assertThat(scraped()).contains("\nzk_lock_watch_events_total 3.0\n", "\nzk_lock_leftovers_removed_total 5.0\n",
				"\nzk_lock_engine_failures_total 7.0\n");
	}

	@Test
	void theDashboardShowsEveryMetric() throws IOException {
		Set<String> shown = found(Pattern.compile("(?m)^zk_lock_\\w+"), scraped());
		assertThat(shown).hasSizeGreaterThan(10);
		assertThat(found(NAME, file(DASHBOARD))).isEqualTo(shown);
	}

	@Test
	void everyAlertIsTested() throws IOException {
		Pattern alert = Pattern.compile("(?:alert|alertname): (ZkLock\\w+)");
		Set<String> defined = alert.matcher(file(RULES))
			.results()
			.map((result) -> result.group(1))
			.collect(Collectors.toSet());
		assertThat(defined).hasSizeGreaterThan(5);
		assertThat(alert.matcher(file("zk-lock-alerts-test.yml")).results().map((result) -> result.group(1)).toList())
			.containsAll(defined);
	}

	@Test
	void promtoolAcceptsTheRulesAndTheirTests() throws IOException, InterruptedException {
		Assumptions.assumeTrue(Files.isExecutable(promtool()) || "true".equals(System.getenv("CI")),
				"There is no promtool here: apt-get install prometheus");
		assertThat(promtool("check", "rules", RULES)).contains("SUCCESS");
		assertThat(promtool("test", "rules", "zk-lock-alerts-test.yml")).contains("SUCCESS");
	}

	private static Path promtool() {
		return Stream.of(System.getenv("PATH").split(File.pathSeparator))
			.map((directory) -> Path.of(directory, "promtool"))
			.filter(Files::isExecutable)
			.findFirst()
			.orElse(Path.of("promtool"));
	}

	private static String promtool(String... arguments) throws IOException, InterruptedException {
		List<String> command = new ArrayList<>(List.of(promtool().toString()));
		command.addAll(List.of(arguments));
		Process process = new ProcessBuilder(command).directory(FOLDER.toFile()).redirectErrorStream(true).start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
		assertThat(process.exitValue()).as(output).isZero();
		return output;
	}

	private record CountedSession(State state, long sessionId, Duration sessionTimeout, String servers,
			long watchEvents, long leftoversRemoved, long engineFailures) implements LockSessionStatus {
	}

}
