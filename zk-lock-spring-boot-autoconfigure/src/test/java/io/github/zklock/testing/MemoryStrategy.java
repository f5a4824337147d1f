package io.github.zklock.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.zklock.LockMode;
import io.github.zklock.LostReason;
import io.github.zklock.inspect.LockLine;
import io.github.zklock.internal.concurrent.Mailbox;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.Grant;
import io.github.zklock.spi.LockEntry;
import io.github.zklock.spi.LockStrategy;
import io.github.zklock.spi.Obstacle;

/**
 * One key's line in memory, first come first served, for exploring what happens above it:
 * a server cannot be stopped between two steps of one thread. Whoever makes a grant
 * possible delivers it.
 */
public final class MemoryStrategy implements LockStrategy {

	private final Mailbox mailbox = new Mailbox();

	private final List<Standing> line = new ArrayList<>();

	private final boolean granting;

	private long lastZxid;

	/**
	 * Creates an empty line.
	 * @param granting whether it grants by itself; otherwise {@link #grantFirst} does
	 */
	public MemoryStrategy(boolean granting) {
		this.granting = granting;
	}

	@Override
	public Contender enter(LockEntry entry, ContenderListener listener) {
		Standing standing = new Standing(entry, listener);
		this.mailbox.execute(() -> {
			standing.zxid = ++this.lastZxid;
			this.line.add(standing);
			if (this.granting) {
				settle();
			}
		});
		return standing;
	}

	/** Grants the key to who stands first and does not hold yet. */
	public void grantFirst() {
		this.mailbox.execute(this::settle);
	}

	/** Ends all that is held, as the end of the session would. */
	public void loseAll() {
		this.mailbox.execute(() -> List.copyOf(this.line).forEach(Standing::lose));
	}

	/** Tells all who wait that somebody is in the way. */
	public void blockAll() {
		this.mailbox.execute(() -> this.line.forEach(Standing::block));
	}

	/**
	 * Counts who holds or waits. To be asked when all threads have ended.
	 * @return the length of the line
	 */
	public int length() {
		return this.line.size();
	}

	private void settle() {
		boolean free = true;
		boolean onlyReaders = true;
		for (Standing standing : List.copyOf(this.line)) {
			boolean shared = standing.mode().isShared();
			if (!free && !(onlyReaders && shared)) {
				return;
			}
			standing.grant();
			free = false;
			onlyReaders = onlyReaders && shared;
		}
	}

	@Override
	public CompletionStage<LockLine> line(String key) {
		return CompletableFuture.completedFuture(new LockLine(key, List.of()));
	}

	private final class Standing implements Contender, Grant {

		private final LockEntry entry;

		private final ContenderListener listener;

		private final CompletableFuture<Void> gone = new CompletableFuture<>();

		private volatile boolean over;

		private long zxid;

		private boolean granted;

		private Standing(LockEntry entry, ContenderListener listener) {
			this.entry = entry;
			this.listener = listener;
		}

		private void grant() {
			if (!this.granted) {
				this.granted = true;
				this.listener.granted(List.of(this));
			}
		}

		private void lose() {
			if (this.granted && !this.over) {
				this.over = true;
				this.listener.lost(this, LostReason.SESSION_ENDED);
			}
		}

		private void block() {
			if (!this.granted) {
				this.listener.blocked(new Obstacle(key(), "somebody", true, Duration.ZERO));
			}
		}

		@Override
		public CompletionStage<Void> leave() {
			this.over = true;
			MemoryStrategy.this.mailbox.execute(() -> {
				MemoryStrategy.this.line.remove(this);
				this.gone.complete(null);
				if (MemoryStrategy.this.granting) {
					settle();
				}
			});
			return this.gone;
		}

		@Override
		public String key() {
			return this.entry.keys().get(0);
		}

		@Override
		public LockMode mode() {
			return this.entry.mode();
		}

		@Override
		public long firstToken() {
			return this.zxid * TOKENS;
		}

		@Override
		public boolean isValid() {
			return !this.over;
		}

		@Override
		public CompletionStage<Void> whenContended() {
			return new CompletableFuture<>();
		}

		@Override
		public CompletionStage<Void> release() {
			return leave();
		}

	}

}
