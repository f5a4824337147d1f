package io.github.zklock.benchmarks.jvm;

import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

import io.github.zklock.internal.node.KeyEncoding;

/**
 * How long it takes to make a path segment of a key.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class KeyEncodingBenchmark {

	/** The key: plain, with characters to encode, and too long for a segment. */
	@Param({ "plain", "encoded", "long" })
	public String kind = "";

	private String key = "";

	/**
	 * Chooses the key.
	 */
	@Setup
	public void choose() {
		this.key = switch (this.kind) {
			case "plain" -> "order:4711";
			case "encoded" -> "orders/4711/\u00e4nderung";
			case "long" -> "order:" + "4711".repeat(100);
			default -> throw new IllegalArgumentException(this.kind);
		};
	}

	/**
	 * Encodes the key.
	 * @return the segment
	 */
	@Benchmark
	public String encode() {
		return KeyEncoding.encode(this.key);
	}

}
