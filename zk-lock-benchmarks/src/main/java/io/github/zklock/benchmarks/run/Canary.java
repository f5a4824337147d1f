package io.github.zklock.benchmarks.run;

import java.time.Duration;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.benchmarks.peer.Contestant;
import io.github.zklock.benchmarks.worker.KeyChoice;
import io.github.zklock.benchmarks.worker.Load;

/**
 * Lets workers contend without any lock. If that is not found out, no other finding is
 * worth anything.
 */
final class Canary {

	private static final Logger log = LoggerFactory.getLogger(Canary.class);

	private static final Duration SHORTEST = Duration.ofMillis(100);

	private static final Duration LONGEST = Duration.ofSeconds(10);

	private Canary() {
	}

	/**
	 * Checks the check, for exclusive locks, for readers and writers, and for permits.
	 * @param site where the servers are
	 * @throws IllegalStateException if it is blind
	 */
	static void check(Site site) {
		check(site, Contestant.NONE, Load.of(KeyChoice.ONE), LONGEST);
		check(site, Contestant.NONE, Load.of(KeyChoice.ONE).reading(90, 50), LONGEST);
		check(site, Contestant.NONE, Load.of(KeyChoice.ONE).permits(2).held(50), LONGEST);
	}

	static void check(Site site, Contestant contestant, Load load, Duration longest) {
		try (Crew crew = Crew.start(site, contestant, 2, 2, load, (process) -> site.connection(contestant, process))) {
			// A machine that does other things may let them miss each other
			for (Duration time = SHORTEST; time.compareTo(longest) <= 0; time = time.multipliedBy(3)) {
				crew.turn(SHORTEST, time);
			}
			throw new IllegalStateException("Nobody has noticed that there is no lock");
		}
		catch (ExclusionViolatedException ex) {
			log.debug("The check is awake", ex);
		}
	}

}
