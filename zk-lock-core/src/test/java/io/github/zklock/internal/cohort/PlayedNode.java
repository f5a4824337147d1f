package io.github.zklock.internal.cohort;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.github.zklock.LockMode;
import io.github.zklock.LostReason;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.Grant;

/**
 * A node in a queue that a test plays, and its grant; without a listener, another
 * client's.
 */
abstract class PlayedNode implements Contender, Grant {

	final CompletableFuture<Void> contended = new CompletableFuture<>();

	final ContenderListener listener;

	boolean granted;

	private final CompletableFuture<Void> gone = new CompletableFuture<>();

	private final List<CompletableFuture<Boolean>> looks = new ArrayList<>();

	private final LockMode mode;

	private boolean valid;

	private boolean left;

	private long token;

	PlayedNode(LockMode mode, ContenderListener listener) {
		this.mode = mode;
		this.listener = listener;
	}

	/**
	 * Its number in ZooKeeper.
	 * @return more than that of any node before
	 */
	abstract long number();

	/** Whether others are queued behind it is answered now. */
	abstract boolean isFollowed();

	/** The delete is sent; {@link #deleted} follows. */
	abstract void delete();

	/** The servers have deleted it with its session. */
	abstract void deletedBySession();

	void grant() {
		if (!this.granted) {
			this.granted = true;
			this.token = number() * TOKENS;
			if (this.listener != null && !this.left) {
				this.valid = true;
				this.listener.granted(List.of(this));
			}
		}
	}

	void lose() {
		this.valid = false;
		deletedBySession();
		this.listener.lost(this, LostReason.SESSION_ENDED);
	}

	void answer() {
		boolean others = isFollowed();
		List.copyOf(this.looks).forEach((look) -> look.complete(others));
		this.looks.clear();
	}

	boolean isLeaving() {
		return this.left;
	}

	void deleted() {
		this.gone.complete(null);
	}

	@Override
	public CompletionStage<Void> leave() {
		if (!this.left) {
			this.left = true;
			this.valid = false;
			delete();
		}
		return this.gone;
	}

	@Override
	public CompletionStage<Void> release() {
		return leave();
	}

	@Override
	public String key() {
		return "key";
	}

	@Override
	public LockMode mode() {
		return this.mode;
	}

	@Override
	public long firstToken() {
		return this.token;
	}

	@Override
	public boolean isValid() {
		return this.valid;
	}

	@Override
	public long changeNanos() {
		return TimeUnit.MICROSECONDS.toNanos(400);
	}

	@Override
	public CompletionStage<Void> whenContended() {
		return this.contended;
	}

	@Override
	public CompletionStage<Boolean> isContended() {
		CompletableFuture<Boolean> look = new CompletableFuture<>();
		this.looks.add(look);
		return look;
	}

}
