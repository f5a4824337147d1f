package io.github.zklock.memory;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.zklock.LockMode;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.internal.node.ClientIdentity;
import io.github.zklock.internal.node.NodeContent;
import io.github.zklock.internal.node.Permits;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.Grant;

/**
 * One key of a contender, which holds it once the contender is granted.
 */
final class MemoryGrant implements Grant {

	private final CompletableFuture<Void> released = new CompletableFuture<>();

	private final List<CompletableFuture<Void>> watches = new ArrayList<>();

	private final MemoryContender contender;

	private final String key;

	private volatile LockMode mode;

	private final int permits;

	private final byte[] content;

	private volatile boolean over;

	MemoryGrant(MemoryContender contender, String key, LockMode mode, int permits, byte[] content) {
		this.contender = contender;
		this.key = key;
		this.mode = mode;
		this.permits = permits;
		this.content = content;
	}

	@Override
	public String key() {
		return this.key;
	}

	@Override
	public LockMode mode() {
		return this.mode;
	}

	@Override
	public int permits() {
		return this.permits;
	}

	@Override
	public long firstToken() {
		return this.contender.number() * TOKENS;
	}

	@Override
	public boolean isValid() {
		return !this.over;
	}

	/** To change the client takes no time, so a tenure is as short as can be. */
	@Override
	public long changeNanos() {
		return 0;
	}

	@Override
	public CompletionStage<Void> whenContended() {
		CompletableFuture<Void> watch = new CompletableFuture<>();
		this.contender.queues().execute(() -> {
			this.watches.add(watch);
			noteContention();
		});
		return watch;
	}

	@Override
	public CompletionStage<Boolean> isContended() {
		return this.contender.queues().ask(this::isContendedNow);
	}

	@Override
	public CompletionStage<Boolean> downgrade() {
		return this.contender.queues().ask(() -> {
			if (isHolding() && this.mode == LockMode.WRITE) {
				this.mode = LockMode.READ;
				this.contender.queues().settle(List.of(this.key));
			}
			return this.mode.isShared();
		});
	}

	@Override
	public CompletionStage<Void> release() {
		this.over = true;
		this.contender.queues().execute(() -> {
			this.contender.queues().leave(this.contender, List.of(this.key));
			this.released.complete(null);
		});
		return this.released;
	}

	/** Is not good any more, from whatever thread. */
	void end() {
		this.over = true;
	}

	// From here on as parts of steps

	boolean isHolding() {
		return !this.over && this.contender.isHolding();
	}

	Blocker asBlockerOf(MemoryContender other) {
		String who = NodeContent.who(this.content, this.key);
		return new Blocker(this.key, Permits.describe(who, this.permits, other.grantOf(this.key).permits()),
				this.contender.isHolding(), this.contender.age());
	}

	LockQueue.Contender describe(String keyPath, ClientIdentity us) {
		return new LockQueue.Contender(keyPath + "/" + this.contender.number(), this.mode, this.contender.isHolding(),
				us.isOurs(NodeContent.idIn(this.content)), firstToken(),
				new String(this.content, StandardCharsets.UTF_8), this.permits);
	}

	void noteContention() {
		if (!this.watches.isEmpty() && isContendedNow()) {
			List<CompletableFuture<Void>> seen = List.copyOf(this.watches);
			this.watches.clear();
			seen.forEach((watch) -> watch.complete(null));
		}
	}

	private boolean isContendedNow() {
		return isHolding() && this.contender.queues().isContended(this.contender, this.key);
	}

	void lose() {
		if (!this.over) {
			this.over = true;
			this.contender.lost(this);
			this.contender.queues().leave(this.contender, List.of(this.key));
		}
	}

}
