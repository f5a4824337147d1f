package io.github.zklock.internal.contender;

import org.apache.zookeeper.KeeperException.Code;

import io.github.zklock.spi.Obstacle;

/**
 * What every step of a contender may tell it. Called in the contender's own steps.
 */
public interface ContenderHost {

	/**
	 * Runs a step of the contender's, after those that were brought before.
	 * @param step what to do
	 */
	void step(Runnable step);

	/**
	 * Somebody is in the way.
	 * @param obstacle who
	 */
	void blocked(Obstacle obstacle);

	/**
	 * There was no answer, or one that says nothing.
	 * @param code what came instead
	 * @param path what was asked about
	 */
	void disturbed(Code code, String path);

	/**
	 * The servers will never do what was asked.
	 * @param code why
	 * @param path what was asked about
	 */
	void refused(Code code, String path);

}
