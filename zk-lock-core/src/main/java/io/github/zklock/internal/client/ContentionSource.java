package io.github.zklock.internal.client;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockMode;
import io.github.zklock.WaitingCaller;
import io.github.zklock.inspect.ContenderOrigin;

/** Sees who waits for a key. */
public interface ContentionSource {

	/**
	 * Begins to look at a key that a handle holds. Asks nobody yet.
	 * @param key the key
	 * @return looks
	 */
	Observer observe(String key);

	/**
	 * Describes a caller of this client who waits.
	 * @param key the key
	 * @param mode how it wants the key
	 * @param thread the thread that asked
	 * @param waited for how long it has waited
	 * @return the description
	 */
	WaitingCaller local(String key, LockMode mode, String thread, Duration waited);

	/**
	 * Describes a caller of another client who waits.
	 * @param key the key
	 * @param mode how it wants the key
	 * @param from where it comes from; null if that is not known
	 * @param now the time by the clock of this host
	 * @return the description
	 */
	static WaitingCaller other(String key, LockMode mode, @Nullable ContenderOrigin from, Instant now) {
		return (from != null) ? new WaitingCaller(key, mode, from.instance(), from.host(), from.pid(), from.thread(),
				from.age(now), null) : new WaitingCaller(key, mode, null, null, null, null, null, null);
	}

	/**
	 * Describes one who asks for a key without waiting.
	 * @param key the key
	 * @param held how it is held
	 * @param content what was written to the holder
	 * @param reason what the key is asked for
	 * @return the description
	 */
	static WaitingCaller asker(String key, LockMode held, String content, @Nullable String reason) {
		ContenderOrigin from = Objects.requireNonNull(ContenderOrigin.parse(content));
		return new WaitingCaller(key, held, from.instance(), from.host(), from.pid(), null, null,
				Objects.toString(reason, ""));
	}

	/** Looks at one key for one handle. */
	interface Observer {

		/** Sees nobody. */
		Observer NONE = new Observer() {

			@Override
			public void look(LockMode held, Consumer<List<WaitingCaller>> found) {
				// Nobody is seen
			}

			@Override
			public void leave() {
				// Nothing is there
			}

		};

		/**
		 * Looks, if anything may have changed since the last look.
		 * @param held the mode in which the handle holds the key
		 * @param found is given those of other clients who wait and were not found
		 * before; not called if there are none, or the look has failed
		 */
		void look(LockMode held, Consumer<List<WaitingCaller>> found);

		/** Looks no more, and leaves nothing behind. */
		void leave();

	}

}
