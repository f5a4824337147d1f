package io.github.zklock.sample.contest;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

import io.github.zklock.sample.contest.Referee.Observation;
import io.github.zklock.sample.shop.BoxOffice;

/*
 * Three phases, each for all clients at once, each client on a thread of its own: connect,
 * visit, leave. The visits begin at one barrier, so that connecting is not measured.
 */
/**
 * One contest.
 */
final class Contest {

	private final String id;

	private final ContestSpec spec;

	private final BoxOffice boxOffice;

	private final String connectString;

	Contest(String id, ContestSpec spec, BoxOffice boxOffice, String connectString) {
		this.id = id;
		this.spec = spec;
		this.boxOffice = boxOffice;
		this.connectString = connectString;
	}

	ContestReport run() throws InterruptedException {
		ExecutorService threads = Executors.newFixedThreadPool(this.spec.clients(),
				new CustomizableThreadFactory(this.id + "-"));
		try (Counter counter = new Counter(this.boxOffice, this.id, this.spec)) {
			List<Client> clients = IntStream.rangeClosed(1, this.spec.clients())
				.mapToObj((number) -> new Client(number, this.id, this.spec, counter))
				.toList();
			return this.spec.mode().lockMode().isPresent() ? withLock(clients, counter, threads)
					: new Referee(visit(clients, threads)).report(this.id, this.spec, counter, null);
		}
		finally {
			threads.shutdownNow();
		}
	}

	private ContestReport withLock(List<Client> clients, Counter counter, ExecutorService threads)
			throws InterruptedException {
		WatchEventCounter watchEvents = new WatchEventCounter();
		try (LineWatch line = LineWatch.start(OwnSession.connect(this.connectString, new WatchEventCounter()),
				this.id)) {
			forAll(clients, threads, (client) -> () -> {
				client.connect(this.connectString, watchEvents);
				return client;
			});
			List<Visit> visits = visit(clients, threads);
			line.settle();
			return new Referee(visits).report(this.id, this.spec, counter,
					new Observation(watchEvents.count(), line.nodesSeen(), line.lengths()));
		}
		finally {
			forAll(clients, threads, (client) -> () -> {
				client.leave();
				return client;
			});
		}
	}

	private static List<Visit> visit(List<Client> clients, ExecutorService threads) throws InterruptedException {
		CyclicBarrier start = new CyclicBarrier(clients.size());
		return forAll(clients, threads, (client) -> () -> client.visit(start));
	}

	private static <T> List<T> forAll(List<Client> clients, ExecutorService threads, Function<Client, Callable<T>> task)
			throws InterruptedException {
		List<T> results = new ArrayList<>();
		RuntimeException failure = null;
		for (Future<T> future : threads.invokeAll(clients.stream().map(task).toList())) {
			try {
				results.add(future.get());
			}
			catch (ExecutionException ex) {
				failure = add(failure, ex.getCause());
			}
		}
		if (failure != null) {
			throw failure;
		}
		return results;
	}

	private static RuntimeException add(@Nullable RuntimeException failures, @Nullable Throwable next) {
		RuntimeException failure = (next instanceof RuntimeException known) ? known : new IllegalStateException(next);
		if (failures == null) {
			return failure;
		}
		failures.addSuppressed(failure);
		return failures;
	}

}
