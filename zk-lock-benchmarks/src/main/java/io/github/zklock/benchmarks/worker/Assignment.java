package io.github.zklock.benchmarks.worker;

import java.nio.file.Path;
import java.util.List;

import io.github.zklock.benchmarks.peer.Connection;
import io.github.zklock.benchmarks.peer.Contestant;

/**
 * What a worker process is to do.
 *
 * @param contestant what it locks with
 * @param connection where the servers are
 * @param process its number among the processes, from 0
 * @param threads how many threads it has
 * @param load what they do
 * @param memory the file by which all processes check exclusion
 */
public record Assignment(Contestant contestant, Connection connection, int process, int threads, Load load,
		Path memory) {

	/**
	 * Writes it as arguments of {@link WorkerMain}.
	 * @return the arguments
	 */
	public List<String> toArguments() {
		return List.of(this.contestant.name(), this.connection.servers(), this.connection.root(),
				Integer.toString(this.connection.sessionMillis()), Integer.toString(this.process),
				Integer.toString(this.threads), this.load.text(), this.memory.toString());
	}

	static Assignment parse(String[] arguments) {
		return new Assignment(Contestant.valueOf(arguments[0]),
				new Connection(arguments[1], arguments[2], Integer.parseInt(arguments[3])),
				Integer.parseInt(arguments[4]), Integer.parseInt(arguments[5]), Load.parse(arguments[6]),
				Path.of(arguments[7]));
	}

}
