package io.github.zklock.drill;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import org.springframework.http.MediaType;
import org.springframework.util.FileSystemUtils;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.RestClient;
import tools.jackson.databind.JsonNode;

import io.github.zklock.harness.EnsembleProcesses;
import io.github.zklock.harness.ServerProcess;
import io.github.zklock.harness.Waiting;
import io.github.zklock.sample.shop.Stock;

/**
 * Three servers, three instances of the shop on one database, clients that buy at all of
 * them, and a leader that dies meanwhile.
 */
final class Drill {

	private static final String EVENT = "premiere";

	/** How many reports the sample lets all instances make at a time. */
	private static final int PERMITS = 5;

	private static final Duration LIMIT = Duration.ofMinutes(3);

	private final DrillOptions options;

	private final PrintStream out;

	private final SalesTally tally = new SalesTally();

	Drill(DrillOptions options, PrintStream out) {
		this.options = options;
		this.out = out;
	}

	/**
	 * Runs it, and stops what it started.
	 * @return whether every ticket was sold, and none twice
	 * @throws Exception if something could not be started
	 */
	boolean run() throws Exception {
		Path directory = Files.createTempDirectory("three-by-three");
		try {
			return run(directory);
		}
		finally {
			FileSystemUtils.deleteRecursively(directory);
		}
	}

	private boolean run(Path directory) throws Exception {
		try (Database database = this.options.postgreSql() ? Database.postgreSql() : Database.h2(directory);
				EnsembleProcesses ensemble = ThreeServers.start(directory)) {
			print("Three servers at %s; server %d leads".formatted(ensemble.connectString(),
					ensemble.leader().number()));
			List<ShopInstance> instances = new ArrayList<>();
			try {
				for (int number = 1; number <= 3; number++) {
					instances.add(ShopInstance.start(number, directory, ensemble.connectString(), database));
				}
				List<String> addresses = addresses(instances);
				long begun = System.nanoTime();
				long runsBefore = runs(addresses.get(0));
				boolean sold = sell(addresses, ensemble, database);
				long runs = runs(addresses.get(0)) - runsBefore;
				return audited(runs, Duration.ofNanos(System.nanoTime() - begun)) && sold;
			}
			finally {
				for (ShopInstance instance : instances) {
					instance.close();
				}
			}
		}
	}

	private List<String> addresses(List<ShopInstance> instances) {
		List<String> addresses = new ArrayList<>();
		for (ShopInstance instance : instances) {
			addresses.add(instance.awaitStarted());
		}
		print("Three instances at %s".formatted(String.join(", ", addresses)));
		return addresses;
	}

	private boolean sell(List<String> instances, EnsembleProcesses ensemble, Database database) throws Exception {
		open(instances.get(0));
		print("%d clients buy %d tickets at all three".formatted(this.options.clients(), this.options.tickets()));
		ExecutorService threads = Executors.newFixedThreadPool(this.options.clients());
		try (LeaderWatch leaders = new LeaderWatch(instances).start();
				ReportWatch reports = new ReportWatch(instances, EVENT).start()) {
			long begun = System.nanoTime();
			for (int number = 1; number <= this.options.clients(); number++) {
				threads.execute(new Buyer(number, EVENT, instances, this.tally));
			}
			if (this.options.killLeader()) {
				killLeader(ensemble);
			}
			threads.shutdown();
			boolean ended = threads.awaitTermination(LIMIT.toSeconds(), TimeUnit.SECONDS);
			Duration time = Duration.ofNanos(System.nanoTime() - begun);
			leaders.close();
			reports.close();
			boolean sold = report(time, ended, database.stock(EVENT), leaders);
			return report(reports) && sold;
		}
		finally {
			threads.shutdownNow();
		}
	}

	private void open(String instance) {
		RestClient client = RestClient.create(instance);
		Waiting.present("tickets are on sale", LIMIT, () -> {
			try {
				return Optional.of(client.put()
					.uri("/events/{id}/stock", EVENT)
					.contentType(MediaType.APPLICATION_JSON)
					.body(Map.of("capacity", this.options.tickets()))
					.retrieve()
					.toBodilessEntity());
			}
			catch (HttpServerErrorException.ServiceUnavailable ex) {
				return Optional.empty();
			}
		});
	}

	private void killLeader(EnsembleProcesses ensemble) {
		int enough = this.options.tickets() / 3;
		int sold = Waiting.present("%d tickets are sold".formatted(enough), LIMIT, () -> {
			int now = this.tally.count(Outcome.SOLD);
			return (now >= enough) ? Optional.of(now) : Optional.empty();
		});
		ServerProcess leader = ensemble.leader();
		leader.kill();
		print("Server %d, the leader, was killed after %d sales".formatted(leader.number(), sold));
		print("Server %d leads now".formatted(ensemble.leader().number()));
	}

	private boolean report(Duration time, boolean ended, Stock stock, LeaderWatch leaders) {
		print("");
		print("sold         %5d  in %.1f s; once nothing for %.1f s".formatted(this.tally.count(Outcome.SOLD),
				seconds(time), seconds(this.tally.longestPause())));
		print("busy         %5d  (423) ordered again".formatted(this.tally.count(Outcome.BUSY)));
		print("unavailable  %5d  (503) ordered again".formatted(this.tally.count(Outcome.UNAVAILABLE)));
		print("late         %5d  (409) refused by the database, ordered again"
			.formatted(this.tally.count(Outcome.LATE)));
		print("lost         %5d  (500) not known whether sold".formatted(this.tally.count(Outcome.LOST)));
		print("no answer    %5d        not known whether sold".formatted(this.tally.count(Outcome.UNANSWERED)));
		print("failed       %5d".formatted(this.tally.count(Outcome.FAILED)));
		print("sold twice   %5d  of %d tickets in the database".formatted(stock.soldTwice(), stock.sold()));
		print("leaders      %5d  one after the other; %d times two at once".formatted(leaders.terms(),
				leaders.twoAtOnce()));
		boolean good = leaders.terms() > 0 && leaders.twoAtOnce() == 0 && ended && stock.soldTwice() == 0
				&& this.tally.ticketsTwice() == 0 && isComplete(stock);
		print(good ? "Every ticket was sold, and none twice" : "This is not as it should be: " + stock);
		return good;
	}

	private boolean report(ReportWatch reports) {
		boolean good = reports.reports() > 0 && reports.mostAtOnce() <= PERMITS;
		print("%d reports, %d at a time at most, with %d permits for all three; %d refused%s".formatted(
				reports.reports(), reports.mostAtOnce(), PERMITS, reports.refusals(),
				good ? "" : ", which is not as it should be"));
		return good;
	}

	// Three instances fire each second
	private boolean audited(long runs, Duration time) {
		boolean good = runs > 0 && runs <= time.toSeconds() + 1;
		print("The nightly job, fired each second by all three, ran %d times in %.1f s%s".formatted(runs, seconds(time),
				good ? "" : ", which is not as it should be"));
		return good;
	}

	private static long runs(String instance) {
		JsonNode locks = RestClient.create(instance)
			.get()
			.uri("/actuator/zklocks?jobs=true")
			.retrieve()
			.body(JsonNode.class);
		return (locks != null) ? locks.path("jobs").path(0).path("run").asLong() : 0;
	}

	private boolean isComplete(Stock stock) {
		int receipts = this.tally.count(Outcome.SOLD);
		int unknown = this.tally.count(Outcome.LOST) + this.tally.count(Outcome.UNANSWERED);
		return this.tally.count(Outcome.FAILED) == 0 && stock.remaining() == 0 && stock.sold() == this.options.tickets()
				&& receipts <= stock.sold() && stock.sold() <= receipts + unknown;
	}

	private static double seconds(Duration time) {
		return time.toMillis() / 1000.0;
	}

	private void print(String line) {
		this.out.println(line);
	}

}
