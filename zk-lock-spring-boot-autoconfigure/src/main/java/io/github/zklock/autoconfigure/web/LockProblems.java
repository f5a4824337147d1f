package io.github.zklock.autoconfigure.web;

import java.net.URI;
import java.time.Duration;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestControllerAdvice;

import io.github.zklock.LockException;
import io.github.zklock.LockLostException;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;

/**
 * Answers with problem details (RFC 9457) where a lock could not be acquired, or was
 * lost. After the handlers of the application, and not where the application put our
 * exception into one that has a status of its own. A message of ours names keys and
 * holders, which are no business of who asks: it is logged, and the answer is a general
 * one.
 */
@RestControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE)
class LockProblems {

	private static final Logger log = LoggerFactory.getLogger(LockProblems.class);

	private static final String LOOK = "Look whether it took effect before you try again.";

	private static final Duration SOON = Duration.ofSeconds(1);

	private static final Duration LATER = Duration.ofSeconds(5);

	private final BooleanSupplier begun;

	/**
	 * Creates the handlers.
	 * @param begun whether a part of the current request's answer is on its way. What
	 * were added to it would make it look complete
	 */
	LockProblems(BooleanSupplier begun) {
		this.begun = begun;
	}

	@ExceptionHandler(LockTimeoutException.class)
	ResponseEntity<ProblemDetail> busy(LockTimeoutException ex, Exception thrown) throws Exception {
		leaveToOthers(ex, thrown);
		log.debug("Answered that a lock is busy", ex);
		return retryAfter(SOON,
				problem(HttpStatus.LOCKED, "busy", "Another request is being processed. Try again later."));
	}

	@ExceptionHandler(LockUnavailableException.class)
	ResponseEntity<ProblemDetail> unavailable(LockUnavailableException ex, Exception thrown) throws Exception {
		leaveToOthers(ex, thrown);
		log.debug("Answered that a lock is unavailable", ex);
		String detail = "A service that is needed gives no answer. ";
		return ex.mayHaveTakenEffect()
				? ResponseEntity.of(problem(HttpStatus.SERVICE_UNAVAILABLE, "unavailable", detail + LOOK)).build()
				: retryAfter(LATER,
						problem(HttpStatus.SERVICE_UNAVAILABLE, "unavailable", detail + "Try again later."));
	}

	@ExceptionHandler(LockLostException.class)
	ProblemDetail lost(LockLostException ex, Exception thrown) throws Exception {
		leaveToOthers(ex, thrown);
		log.debug("Answered that a lock was lost", ex);
		return problem(HttpStatus.INTERNAL_SERVER_ERROR, "lost", "The request was interrupted. " + LOOK);
	}

	@ExceptionHandler(LockException.class)
	ProblemDetail failed(LockException ex, Exception thrown) throws Exception {
		leaveToOthers(ex, thrown);
		log.error("A locked method failed, by a mistake, an interrupt or a defect", ex);
		return problem(HttpStatus.INTERNAL_SERVER_ERROR, "failed", "The request failed because of an internal error.");
	}

	// Spring goes on to its next resolver when a handler throws what was thrown
	private void leaveToOthers(LockException ex, Exception thrown) throws Exception {
		if (this.begun.getAsBoolean()) {
			throw thrown;
		}
		for (@Nullable
		Throwable outer = thrown; outer != null && outer != ex; outer = outer.getCause()) {
			if (outer instanceof ErrorResponse
					|| AnnotatedElementUtils.hasAnnotation(outer.getClass(), ResponseStatus.class)) {
				throw thrown;
			}
		}
	}

	private static ProblemDetail problem(HttpStatus status, String type, String detail) {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, detail);
		problem.setType(URI.create("urn:zk-lock:" + type));
		return problem;
	}

	private static ResponseEntity<ProblemDetail> retryAfter(Duration time, ProblemDetail problem) {
		return ResponseEntity.status(problem.getStatus())
			.header(HttpHeaders.RETRY_AFTER, Long.toString(time.toSeconds()))
			.body(problem);
	}

}
