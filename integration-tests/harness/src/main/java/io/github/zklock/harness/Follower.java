package io.github.zklock.harness;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;

/**
 * Runs another main class for as long as the process lives that started this one, which
 * holds the standard input open.
 */
public final class Follower {

	private Follower() {
	}

	/**
	 * Runs the other class.
	 * @param args the name of the other class, then its arguments
	 * @throws Throwable what it throws
	 */
	public static void main(String[] args) throws Throwable {
		Thread thread = new Thread(Follower::haltWithInput, "input");
		thread.setDaemon(true);
		thread.start();
		try {
			Class.forName(args[0])
				.getMethod("main", String[].class)
				.invoke(null, (Object) Arrays.copyOfRange(args, 1, args.length));
		}
		catch (InvocationTargetException ex) {
			throw ex.getCause();
		}
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
