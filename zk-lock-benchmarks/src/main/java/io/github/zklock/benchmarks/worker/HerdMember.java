package io.github.zklock.benchmarks.worker;

import java.util.List;
import java.util.concurrent.Semaphore;

import io.github.zklock.LockMode;
import io.github.zklock.benchmarks.peer.Guard;
import io.github.zklock.benchmarks.peer.Peer;
import io.github.zklock.harness.ChildProcess;

/**
 * One of the clients that wait for the same key: a thread that enters and releases on
 * command.
 */
final class HerdMember {

	private static final int PERMITS = Integer.getInteger(HerdMain.PERMITS, 0);

	private final int number;

	private final Peer peer;

	private final Thread thread;

	private final Semaphore entries = new Semaphore(0);

	private final Semaphore releases = new Semaphore(0);

	private volatile boolean closing;

	HerdMember(int number, Peer peer) {
		this.number = number;
		this.peer = peer;
		this.thread = new Thread(this::live, "member-" + number);
		this.thread.setDaemon(true);
		this.thread.start();
	}

	void enter() {
		this.entries.release();
	}

	void release() {
		this.releases.release();
	}

	void close() {
		this.closing = true;
		this.thread.interrupt();
		this.peer.close();
	}

	private void live() {
		try {
			Guard guard = (PERMITS > 0) ? this.peer.permit("herd", PERMITS)
					: this.peer.guard(List.of("herd"), LockMode.EXCLUSIVE);
			while (!this.closing) {
				this.entries.acquire();
				lock(guard);
				send("granted");
				this.releases.acquire();
				send("released");
				unlock(guard);
			}
		}
		catch (Exception ex) {
			if (!this.closing) {
				System.out.println(ChildProcess.FAILED + ex);
			}
		}
	}

	// Where servers fail a library may give up; its caller asks again then
	private void lock(Guard guard) throws InterruptedException {
		while (true) {
			try {
				guard.lock();
				return;
			}
			catch (InterruptedException ex) {
				throw ex;
			}
			catch (Exception ex) {
				refused(ex);
			}
		}
	}

	private void unlock(Guard guard) throws InterruptedException {
		try {
			guard.unlock();
		}
		catch (InterruptedException ex) {
			throw ex;
		}
		catch (Exception ex) {
			refused(ex);
		}
	}

	private void refused(Exception ex) throws InterruptedException {
		if (this.closing) {
			throw new InterruptedException("closing");
		}
		System.out.println("refused " + this.number + " " + ex);
	}

	private void send(String what) {
		System.out.println(what + " " + this.number + " " + System.nanoTime());
	}

}
