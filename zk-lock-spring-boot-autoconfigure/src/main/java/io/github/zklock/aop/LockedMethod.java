package io.github.zklock.aop;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.Expression;
import org.springframework.expression.ExpressionException;

import io.github.zklock.LockRequest;
import io.github.zklock.OnBusy;
import io.github.zklock.OnLost;

/**
 * A locked method, read and checked once: what its annotation says, placeholders resolved
 * and expressions parsed.
 *
 * @param site the method
 * @param declaration the method whose parameter names count in expressions: the one that
 * carries the annotation
 * @param keys what gives the keys
 * @param condition whether to lock, or null for always
 * @param timeout how long to queue at most, or null for the client's default
 * @param strategy the strategy's name, or null for the client's default
 * @param maxHold how long to hold at most, or null for no bound
 * @param onBusy what to do when others hold the key
 * @param fallback what to call when others hold the key, or null
 * @param onLost what to do when the lock is lost
 * @param returns when the work is done
 * @param undeclared whether nothing says what the method returns, or what the future, or
 * the publisher, gives that it returns
 * @param template the key attribute as it is written
 * @param beans the names of the beans that the expressions use
 * @param job when it may run again, or null for whenever its lock is free
 * @param answerTimeout how long to wait for ZooKeeper where it is to try once, or null
 * for the default
 * @param election the name of the election whose leader alone runs the method, or null if
 * it takes its lock itself
 * @param fixed the request of each call, without an owner, or null if it depends on the
 * call
 */
record LockedMethod(LockSite site, Method declaration, List<LockKey> keys, @Nullable Expression condition,
		@Nullable Duration timeout, @Nullable String strategy, @Nullable Duration maxHold, OnBusy onBusy,
		@Nullable FallbackMethod fallback, OnLost onLost, ReturnKind returns, boolean undeclared, String template,
		Set<String> beans, @Nullable JobTime job, @Nullable Duration answerTimeout, @Nullable String election,
		@Nullable LockRequest fixed) {

	/**
	 * Decides whether a call is locked.
	 * @param context the call
	 * @return false if the condition says so
	 */
	boolean applies(EvaluationContext context) {
		if (this.condition == null) {
			return true;
		}
		Boolean value;
		try {
			value = this.condition.getValue(context, Boolean.class);
		}
		catch (ExpressionException ex) {
			throw new IllegalArgumentException(message("could not be evaluated: " + ex.getMessage()), ex);
		}
		if (value == null) {
			throw new IllegalArgumentException(message("gave null"));
		}
		return value;
	}

	/**
	 * Makes the request of one call.
	 * @param context the call
	 * @return the request, without an owner
	 * @throws IllegalArgumentException if the call gives no key, or a bad one
	 */
	LockRequest request(EvaluationContext context) {
		List<String> values = new ArrayList<>(this.keys.size());
		List<LockKey> texts = new ArrayList<>(this.keys.size());
		for (LockKey key : this.keys) {
			int before = values.size();
			key.addTo(values, context);
			texts.addAll(Collections.nCopies(values.size() - before, key));
		}
		try {
			return request(values, texts);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException("The lock key of " + this.site + " is bad. " + ex.getMessage(), ex);
		}
	}

	/**
	 * Makes a request of keys that no call changes.
	 * @param literals at least one key without expression
	 * @return the request, without an owner
	 * @throws IllegalArgumentException if one is a bad key
	 */
	LockRequest literal(List<LockKey> literals) {
		return request(literals.stream().map(LockKey::text).toList(), literals);
	}

	private LockRequest request(List<String> values, List<LockKey> texts) {
		LockRequest request = null;
		int from = 0;
		while (from < values.size()) {
			int to = from + 1;
			while (to < values.size() && texts.get(to).isLikewise(texts.get(from))) {
				to++;
			}
			LockRequest some = texts.get(from).request(values.subList(from, to));
			request = (request != null) ? request.and(some) : some;
			from = to;
		}
		return complete(Objects.requireNonNull(request));
	}

	private LockRequest complete(LockRequest keys) {
		LockRequest request = keys.template(this.template);
		request = (this.timeout != null) ? request.timeout(this.timeout) : request;
		request = (this.answerTimeout != null) ? request.answerTimeout(this.answerTimeout) : request;
		request = (this.strategy != null) ? request.strategy(this.strategy) : request;
		return (this.maxHold != null) ? request.maxHold(this.maxHold) : request;
	}

	/**
	 * Makes the request once if no call changes it.
	 * @return the same, with its fixed request if it has one
	 */
	LockedMethod fixIfPossible() {
		if (this.condition != null || this.keys.stream().anyMatch((key) -> key.expression() != null)) {
			return this;
		}
		return new LockedMethod(this.site, this.declaration, this.keys, null, this.timeout, this.strategy, this.maxHold,
				this.onBusy, this.fallback, this.onLost, this.returns, this.undeclared, this.template, this.beans,
				this.job, this.answerTimeout, this.election, literal(this.keys));
	}

	/**
	 * Returns whether calls without arguments may differ in what they lock.
	 * @return false if the keys and the condition are the same for all of them
	 */
	boolean varies() {
		return Stream
			.concat(Stream.ofNullable(this.condition),
					this.keys.stream().flatMap((key) -> Stream.ofNullable(key.expression())))
			.anyMatch(VaryingExpressions::varies);
	}

	@Nullable Object emptyResult() {
		return EmptyResult.of(ResolvableType.forMethodReturnType(this.site.method(), this.site.targetClass()));
	}

	private String message(String problem) {
		return "The lock condition of %s %s".formatted(this.site, problem);
	}

}
