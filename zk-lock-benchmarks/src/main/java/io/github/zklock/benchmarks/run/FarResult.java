package io.github.zklock.benchmarks.run;

import java.time.Duration;

/**
 * What one contestant did on several servers that are far away or have slow disks.
 *
 * @param disk how much longer a forced write took than this machine's disk takes
 * @param result what it did
 */
public record FarResult(Duration disk, Result result) {

}
