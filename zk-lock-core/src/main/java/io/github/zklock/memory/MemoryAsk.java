package io.github.zklock.memory;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.github.zklock.LockMode;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.WaitingCaller;
import io.github.zklock.inspect.HolderNote;
import io.github.zklock.internal.node.ClientIdentity;

/**
 * What one handle is asked for.
 *
 * @param id the same for all holders that are asked together
 * @param reason why it is to let go
 * @param asker the client that asks
 * @param holder the client whose handle it is
 * @param noticed completes when the handle's action is to run, or the handle has let go
 */
record MemoryAsk(String id, String reason, ClientIdentity asker, ClientIdentity holder,
		CompletableFuture<Void> noticed) {

	/** A holder looks once a second. */
	private static final long PATIENCE_SECONDS = 4;

	/**
	 * Describes the asker for the holder's action.
	 * @param key the key
	 * @param held how it is held
	 * @return the description
	 */
	WaitingCaller caller(String key, LockMode held) {
		return new WaitingCaller(key, held, this.asker.instance(), this.asker.host(), Long.toString(this.asker.pid()),
				null, null, this.reason);
	}

	/**
	 * Waits a short time until all have noticed.
	 * @param asks what each holder is asked
	 * @return who they are, and whether each has noticed by now
	 */
	static List<HolderNote> awaitNotice(List<MemoryAsk> asks) {
		try {
			CompletableFuture.allOf(asks.stream().map(MemoryAsk::noticed).toArray(CompletableFuture[]::new))
				.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
		}
		catch (TimeoutException | ExecutionException ex) {
			// Each note says whether its holder has noticed
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LockUnavailableException("Interrupted while holders were asked", ex);
		}
		return asks.stream().map(MemoryAsk::note).toList();
	}

	private HolderNote note() {
		return new HolderNote(this.id, this.reason, this.noticed.isDone(), this.holder.instance(), this.holder.host(),
				Long.toString(this.holder.pid()));
	}

}
