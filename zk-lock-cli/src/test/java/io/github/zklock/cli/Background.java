package io.github.zklock.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A command that runs on a thread of its own.
 */
final class Background {

	private final StringWriter out = new StringWriter();

	private final StringWriter err = new StringWriter();

	private final AtomicInteger code = new AtomicInteger(-1);

	private final Thread thread;

	Background(String... args) {
		this.thread = new Thread(() -> this.code
			.set(ZkLockCli.execute(new PrintWriter(this.out, true), new PrintWriter(this.err, true), args)));
		this.thread.start();
	}

	String out() {
		return this.out.toString();
	}

	String err() {
		return this.err.toString();
	}

	int interrupt() throws InterruptedException {
		this.thread.interrupt();
		return join();
	}

	int join() throws InterruptedException {
		this.thread.join(CliFixture.PATIENCE.toMillis());
		return this.code.get();
	}

}
