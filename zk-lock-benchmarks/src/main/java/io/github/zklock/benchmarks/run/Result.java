package io.github.zklock.benchmarks.run;

import java.util.List;
import java.util.OptionalDouble;
import java.util.function.Function;
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
 * @param heated how many locks the JVM that had the fewest was granted before the first
 * of these rounds
 * @param awaited how many answers of ZooKeeper one lock and its release waited for one
 * after the other, if that was measured
 */
public record Result(Workload workload, Contestant contestant, int servers, List<Turn> turns, long heated,
		OptionalDouble awaited) {

	Result inTurns(List<Turn> others) {
		return new Result(this.workload, this.contestant, this.servers, List.copyOf(others), this.heated,
				OptionalDouble.empty());
	}

	Result awaiting(OptionalDouble answers) {
		return new Result(this.workload, this.contestant, this.servers, this.turns, this.heated, answers);
	}

	/**
	 * Returns the median over the rounds.
	 * @param figure of which figure
	 * @return its median, without rounds that have none; not a number if no round has one
	 */
	public double median(ToDoubleFunction<Turn> figure) {
		double[] figures = this.turns.stream().mapToDouble(figure).filter((value) -> !Double.isNaN(value)).toArray();
		return (figures.length > 0) ? Medians.of(figures) : Double.NaN;
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
	 * Finds the longest wait.
	 * @return the longest of all rounds, in nanoseconds
	 */
	public long longest() {
		return this.turns.stream().mapToLong(Turn::longest).max().orElse(0);
	}

	/**
	 * Adds up how long locks were waited for.
	 * @return the waits of all rounds, in nanoseconds
	 */
	public Histogram waits() {
		return sum(Turn::waits);
	}

	/**
	 * Adds up how long those locks were waited for that were to write.
	 * @return the waits of all rounds, in nanoseconds; none if nobody reads
	 */
	public Histogram writerWaits() {
		return sum(Turn::writerWaits);
	}

	private Histogram sum(Function<Turn, Histogram> waits) {
		Histogram sum = new Histogram(3);
		this.turns.forEach((turn) -> sum.add(waits.apply(turn)));
		return sum;
	}

}
