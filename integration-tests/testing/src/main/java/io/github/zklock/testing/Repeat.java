package io.github.zklock.testing;

import java.time.Duration;
import java.util.concurrent.Callable;

import static org.awaitility.Awaitility.await;

/**
 * Repeats a call that gives others little time to answer, on a machine that may be too
 * busy for that.
 */
public final class Repeat {

	private Repeat() {
	}

	/**
	 * Makes a call, in this thread, and again while there is no answer.
	 * @param <T> what it returns
	 * @param noAnswer what the call throws if there was none
	 * @param call what to do
	 * @return what it returned; what else it threw is thrown as it is
	 */
	public static <T> T after(Class<? extends RuntimeException> noAnswer, Callable<T> call) {
		return await("an answer").atMost(Actor.PATIENCE)
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(10))
			.pollInSameThread()
			.ignoreExceptionsInstanceOf(noAnswer)
			.until(call, (answer) -> true);
	}

}
