package io.github.zklock.benchmarks.run;

import java.util.List;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;

import org.HdrHistogram.Histogram;

import io.github.zklock.benchmarks.peer.Contestant;

/**
 * What one contestant did in all rounds of a workload.
 *
 * @param workload what it did
 * @param contestant who it was
 * @param servers on how many servers
 * @param turns what it did in each round
 * @param awaited how many answers of ZooKeeper one lock and its release waited for one
 * after the other, if that was measured
 */
public record Result(Workload workload, Contestant contestant, int servers, List<Turn> turns, OptionalDouble awaited) {

	/**
	 * Returns the median over the rounds.
	 * @param figure of which figure
	 * @return its median
	 */
	public double median(ToDoubleFunction<Turn> figure) {
		return Medians.of(this.turns.stream().mapToDouble(figure).toArray());
	}

	/**
	 * Compares with another contestant, round by round.
	 * @param other the other one's result of the same rounds
	 * @return how many times as many locks a second this one was granted in each round
	 */
	public double[] ratios(Result other) {
		double[] ratios = new double[this.turns.size()];
		for (int i = 0; i < ratios.length; i++) {
			ratios[i] = this.turns.get(i).perSecond() / other.turns.get(i).perSecond();
		}
		return ratios;
	}

	/**
	 * Adds up how long locks were waited for.
	 * @return the waits of all rounds, in nanoseconds
	 */
	public Histogram waits() {
		Histogram sum = new Histogram(3);
		this.turns.forEach((turn) -> sum.add(turn.waits()));
		return sum;
	}

}
