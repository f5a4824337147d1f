package io.github.zklock.benchmarks.run;

import org.HdrHistogram.Histogram;

/**
 * What one contestant did in one round.
 *
 * @param perSecond how many locks all threads were granted in a second
 * @param waits how long each was waited for, in nanoseconds
 * @param writerWaits how long those were waited for that were to write; none if nobody
 * reads
 * @param longest the longest wait, also of a lock that was still waited for in the end
 * @param fairness how evenly they were granted
 * @param cycleNanos how long it took a thread from one lock to its next, median
 * @param fewest how many locks the thread was granted that had the fewest
 * @param most how many the one was granted that had the most
 * @param requests requests to ZooKeeper for each lock
 * @param transactions transactions of ZooKeeper for each lock
 * @param clientMicros processors' time of all clients for each lock, in microseconds
 * @param compilerMicros what of that their compilers used
 * @param serverMicros processors' time of all servers for each lock, in microseconds
 * @param clientBytes what all clients allocated for each lock
 * @param serverBytes what all ZooKeeper servers allocated for each lock
 * @param places nodes that were left when nobody locked any more
 */
public record Turn(double perSecond, Histogram waits, Histogram writerWaits, long longest, Fairness fairness,
		long cycleNanos, long fewest, long most, double requests, double transactions, double clientMicros,
		double compilerMicros, double serverMicros, double clientBytes, double serverBytes, int places) {

}
