package io.github.zklock.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;

/**
 * Many callers who want into one section, each again and again.
 */
public final class Contest {

	private final List<LockClient> clients;

	private final int threads;

	private final int rounds;

	private Contest(List<LockClient> clients, int threads, int rounds) {
		this.clients = clients;
		this.threads = threads;
		this.rounds = rounds;
	}

	/**
	 * Prepares a contest.
	 * @param clients who takes part
	 * @return the contest, with two threads for each client and ten rounds for each
	 * thread
	 */
	public static Contest between(LockClient... clients) {
		return new Contest(List.of(clients), 2, 10);
	}

	/**
	 * Sets the number of threads.
	 * @param threads how many for each client
	 * @return a changed copy
	 */
	public Contest threads(int threads) {
		return new Contest(this.clients, threads, this.rounds);
	}

	/**
	 * Sets the number of rounds.
	 * @param rounds how many for each thread
	 * @return a changed copy
	 */
	public Contest rounds(int rounds) {
		return new Contest(this.clients, this.threads, rounds);
	}

	/**
	 * Returns how many entries there will be.
	 * @return the number
	 */
	public int entries() {
		return this.clients.size() * this.threads * this.rounds;
	}

	/**
	 * Runs the contest to its end.
	 * @param requests what to ask for in each round
	 * @return the section that all went through
	 */
	public Section run(IntFunction<LockRequest> requests) {
		Section section = new Section();
		List<Actor> actors = new ArrayList<>();
		List<CompletableFuture<Void>> outcomes = new ArrayList<>();
		for (LockClient client : this.clients) {
			for (int i = 0; i < this.threads; i++) {
				int first = i;
				Actor actor = new Actor("contest-" + actors.size());
				actors.add(actor);
				outcomes.add(actor.call(() -> {
					for (int round = 0; round < this.rounds; round++) {
						try (LockHandle handle = client.acquire(requests.apply(first + round))) {
							section.enter(handle);
						}
					}
					return null;
				}));
			}
		}
		try {
			outcomes.forEach(Actor::get);
		}
		finally {
			actors.forEach(Actor::close);
		}
		return section;
	}

}
