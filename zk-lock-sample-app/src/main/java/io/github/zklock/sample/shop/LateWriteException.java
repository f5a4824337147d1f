package io.github.zklock.sample.shop;

import org.jspecify.annotations.Nullable;

/**
 * Another holder of the lock has written since, so the caller was one no more.
 */
public class LateWriteException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	LateWriteException(String eventId, long fencingToken, @Nullable Throwable cause) {
		super("A later holder of its lock has changed event '%s', so fencing token %d is refused and nothing was changed"
			.formatted(eventId, fencingToken), cause);
	}

}
