package io.github.zklock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A caller who waits for a key that a handle holds, as
 * {@link LockHandle#onContended(java.util.function.Consumer)} reports it, or who asks for
 * it without waiting, such as an operator. What is not known is null: all but key and
 * mode of Curator's contenders.
 *
 * @param key the key
 * @param mode how the waiter wants it; of one who only asks, how it is held
 * @param instance the waiter's instance of the application
 * @param host its host
 * @param process its process id
 * @param thread the thread that asked
 * @param waited for how long it had waited when it was seen; for another process by the
 * clocks of both hosts, which may differ; null for one who only asks
 * @param reason the words of one who only asks, perhaps empty; null for one who waits
 * @since 0.1.0
 */
public record WaitingCaller(String key, LockMode mode, @Nullable String instance, @Nullable String host,
		@Nullable String process, @Nullable String thread, @Nullable Duration waited, @Nullable String reason) {
}
