package io.github.zklock.sample.contest;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

import io.github.zklock.sample.contest.ContestProgress.Phase;
import io.github.zklock.sample.contest.Referee.Observation;
import io.github.zklock.sample.shop.BoxOffice;

/**
 * One contest.
 *
 * @param id its id
 * @param keyNode where its clients contend
 * @param spec what it is like
 * @param boxOffice has the tickets
 * @param progress is notified of how far it is
 */
record Contest(String id, KeyNode keyNode, ContestSpec spec, BoxOffice boxOffice, ContestProgress progress) {

	/*-
	 * Three phases, each for all clients at once, each client on a thread of its own: connect,
	 * visit, leave. The visits begin at one barrier, so that connecting is not measured.
	 * Cancelling ends the first two by an interrupt; the clients leave when all their threads
	 * have ended, so that none connects after it has left.
	 */

	ContestReport run() throws InterruptedException {
		this.progress.begin(Thread.currentThread());
		try (Counter counter = new Counter(this.boxOffice, this.id, this.spec)) {
			List<Client> clients = IntStream.rangeClosed(1, this.spec.clients())
				.mapToObj((number) -> new Client(number, this.keyNode.key(), this.spec, counter, this.progress))
				.toList();
			return this.spec.mode().lockMode().isPresent() ? withLock(clients, counter) : withoutLock(clients, counter);
		}
	}

	private ContestReport withoutLock(List<Client> clients, Counter counter) throws InterruptedException {
		ExecutorService threads = threads();
		try {
			return new Referee(visit(clients, threads)).report(this.id, this.spec, counter, null);
		}
		finally {
			leave(clients, threads);
		}
	}

	private ContestReport withLock(List<Client> clients, Counter counter) throws InterruptedException {
		WatchEventCounter watchEvents = new WatchEventCounter();
		try (QueueObserver observer = QueueObserver
			.start(OwnSession.connect(this.keyNode.connectString(), new WatchEventCounter()), this.keyNode.path())) {
			this.progress.observe(watchEvents, observer);
			ExecutorService threads = threads();
			try {
				forAll(clients, threads, (client) -> () -> {
					client.connect(this.keyNode.connectString(), this.keyNode.root(), watchEvents);
					return client;
				});
				List<Visit> visits = visit(clients, threads);
				observer.settle();
				return new Referee(visits).report(this.id, this.spec, counter,
						new Observation(watchEvents.count(), observer.nodesSeen(), observer.lengths()));
			}
			finally {
				leave(clients, threads);
			}
		}
	}

	private List<Visit> visit(List<Client> clients, ExecutorService threads) throws InterruptedException {
		this.progress.enter(Phase.RUNNING);
		CyclicBarrier start = new CyclicBarrier(clients.size());
		return forAll(clients, threads, (client) -> () -> client.visit(start));
	}

	private void leave(List<Client> clients, ExecutorService visits) throws InterruptedException {
		this.progress.leave();
		visits.shutdownNow();
		visits.awaitTermination(1, TimeUnit.MINUTES);
		ExecutorService threads = threads();
		try {
			forAll(clients, threads, (client) -> () -> {
				client.leave();
				return client;
			});
		}
		finally {
			threads.shutdown();
		}
	}

	private ExecutorService threads() {
		return Executors.newFixedThreadPool(this.spec.clients(), new CustomizableThreadFactory(this.id + "-"));
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

	/**
	 * The key node of a contest, and the servers that have it.
	 *
	 * @param connectString where the servers are
	 * @param root the path that has the locks below it
	 * @param key the key; its characters are those of a path's segment
	 */
	record KeyNode(String connectString, String root, String key) {

		String path() {
			return this.root + "/" + this.key;
		}

	}

}
