package io.github.zklock.memory;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.node.ClientIdentity;

/**
 * A handle that can be asked to let go of a key. All in steps of the queues.
 */
final class AskableHandle {

	private final ClientIdentity holder;

	// Of several asks between two looks only the last one is noticed
	private @Nullable MemoryAsk asked;

	AskableHandle(ClientIdentity holder) {
		this.holder = holder;
	}

	ClientIdentity holder() {
		return this.holder;
	}

	/**
	 * Asks it.
	 * @param id the ask's id
	 * @param reason why it is to let go
	 * @param asker the client that asks
	 * @return what it is asked
	 */
	MemoryAsk ask(String id, String reason, ClientIdentity asker) {
		MemoryAsk ask = new MemoryAsk(id, reason, asker, this.holder, new CompletableFuture<>());
		this.asked = ask;
		return ask;
	}

	/**
	 * Notices what it was asked since the last call.
	 * @return null if it was asked nothing
	 */
	@Nullable MemoryAsk notice() {
		MemoryAsk ask = this.asked;
		this.asked = null;
		if (ask != null) {
			ask.noticed().complete(null);
		}
		return ask;
	}

}
