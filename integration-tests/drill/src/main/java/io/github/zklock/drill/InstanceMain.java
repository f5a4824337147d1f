package io.github.zklock.drill;

import io.github.zklock.sample.SampleApplication;

/**
 * Runs an instance of the shop for as long as its parent lives.
 */
public final class InstanceMain {

	private InstanceMain() {
	}

	/**
	 * Runs the instance.
	 * @param args those of the sample
	 */
	public static void main(String[] args) {
		Parent.follow();
		SampleApplication.main(args);
	}

}
