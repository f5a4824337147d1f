package io.github.zklock.benchmarks.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.zklock.benchmarks.peer.Connection;
import io.github.zklock.benchmarks.peer.Contestant;
import io.github.zklock.harness.FaultProxy;

/**
 * The ways from client processes to their servers: as they are, or longer. What makes
 * them longer runs in this process, not in those that are measured, and forwards as much
 * as comes.
 */
final class Wires implements AutoCloseable {

	private final Site site;

	private final Duration roundTrip;

	private final List<FaultProxy> proxies = new ArrayList<>();

	/**
	 * Prepares ways.
	 * @param site where the servers are
	 * @param roundTrip how much longer a request and its answer are under way together
	 */
	Wires(Site site, Duration roundTrip) {
		this.site = site;
		this.roundTrip = roundTrip;
	}

	/**
	 * Opens the way of one process.
	 * @param contestant what it locks with
	 * @param process its number, from 0
	 * @return where it connects
	 */
	Connection open(Contestant contestant, int process) {
		if (this.roundTrip.isZero()) {
			return this.site.connection(contestant, process);
		}
		FaultProxy proxy = this.site.zooKeeper().proxy(process);
		this.proxies.add(proxy);
		proxy.delay(this.roundTrip.dividedBy(2));
		return this.site.connection(contestant, proxy.connectString());
	}

	@Override
	public void close() {
		this.proxies.forEach(FaultProxy::close);
	}

}
