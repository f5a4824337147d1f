package io.github.zklock.drill;

import java.io.IOException;

/**
 * The process that started this one, and holds its standard input open.
 */
final class Parent {

	private Parent() {
	}

	/**
	 * Ends this process when the parent is gone, however it went.
	 */
	static void follow() {
		Thread thread = new Thread(Parent::haltWithInput, "parent");
		thread.setDaemon(true);
		thread.start();
	}

	private static void haltWithInput() {
		try {
			while (System.in.read() >= 0) {
				Thread.onSpinWait();
			}
		}
		catch (IOException ex) {
			System.err.println("Standard input failed: " + ex);
		}
		Runtime.getRuntime().halt(1);
	}

}
