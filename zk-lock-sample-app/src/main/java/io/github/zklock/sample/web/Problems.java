package io.github.zklock.sample.web;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.context.MessageSourceResolvable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.validation.FieldError;
import org.springframework.web.bind.MethodArgumentNotValidException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.method.annotation.HandlerMethodValidationException;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

import io.github.zklock.sample.shop.LateWriteException;
import io.github.zklock.sample.shop.SoldOutException;
import io.github.zklock.sample.shop.UnknownEventException;

/**
 * Turns the shop's exceptions into problem details. Those of a lock that was not to be
 * had are the library's: {@code zk-lock.web.problem-details}.
 */
@RestControllerAdvice
class Problems extends ResponseEntityExceptionHandler {

	@ExceptionHandler
	ProblemDetail late(LateWriteException ex) {
		return problem(HttpStatus.CONFLICT, "late", ex);
	}

	@ExceptionHandler
	ProblemDetail soldOut(SoldOutException ex) {
		return problem(HttpStatus.CONFLICT, "sold-out", ex);
	}

	@ExceptionHandler
	ProblemDetail unknownEvent(UnknownEventException ex) {
		return problem(HttpStatus.NOT_FOUND, "unknown-event", ex);
	}

	private static ProblemDetail problem(HttpStatus status, String type, Exception cause) {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, cause.getMessage());
		problem.setType(URI.create("urn:zk-lock:sample:" + type));
		return problem;
	}

	@Override
	protected @Nullable ResponseEntity<Object> handleMethodArgumentNotValid(MethodArgumentNotValidException ex,
			HttpHeaders headers, HttpStatusCode status, WebRequest request) {
		return invalid(ex, ex.getBody(), ex.getAllErrors(), headers, status, request);
	}

	@Override
	protected @Nullable ResponseEntity<Object> handleHandlerMethodValidationException(
			HandlerMethodValidationException ex, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
		List<MessageSourceResolvable> errors = new ArrayList<>(ex.getCrossParameterValidationResults());
		ex.getParameterValidationResults().forEach((result) -> errors.addAll(result.getResolvableErrors()));
		return invalid(ex, ex.getBody(), errors, headers, status, request);
	}

	private @Nullable ResponseEntity<Object> invalid(Exception ex, ProblemDetail body,
			List<? extends MessageSourceResolvable> errors, HttpHeaders headers, HttpStatusCode status,
			WebRequest request) {
		body.setProperty("errors", errors.stream().map(Problems::describe).toList());
		return handleExceptionInternal(ex, body, headers, status, request);
	}

	private static String describe(MessageSourceResolvable error) {
		return name(error) + " " + error.getDefaultMessage();
	}

	private static String name(MessageSourceResolvable error) {
		if (error instanceof FieldError field) {
			return field.getField();
		}
		Object[] arguments = error.getArguments();
		return (arguments != null && arguments.length > 0 && arguments[0] instanceof MessageSourceResolvable name
				&& name.getDefaultMessage() != null) ? name.getDefaultMessage() : "The request";
	}

}
