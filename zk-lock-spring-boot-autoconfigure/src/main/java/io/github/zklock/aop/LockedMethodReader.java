package io.github.zklock.aop;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.expression.Expression;
import org.springframework.util.ClassUtils;

import io.github.zklock.ClusterJob;
import io.github.zklock.DistributedLock;
import io.github.zklock.LeaderElection;
import io.github.zklock.LeaderOnly;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.OnBusy;
import io.github.zklock.OnLost;

/**
 * Reads the annotation of one method: resolves its placeholders, parses its expressions,
 * and refuses what cannot work.
 */
final class LockedMethodReader {

	private static final Logger log = LoggerFactory.getLogger(LockedMethodReader.class);

	private static final String QUOTE_REMEDY = "Correct the expression; text that is meant literally goes into single quotes.";

	private static final String TEXT_REMEDY = "Write \"%s\". Text that is meant literally goes into single quotes, and text with arguments in it is a template, as in order-#{#id}.";

	private static final Pattern PACKAGES = Pattern.compile("(\\w+[.$])+");

	/** What a repeated annotation says once, for all keys. */
	private static final List<String> ONCE = List.of("timeout", "strategy", "condition", "onBusy", "fallback", "onLost",
			"maxHold");

	// Nobody would run the job for whom no server answers at once, or who was connected
	// anew a moment ago
	private static final Duration JOB_ANSWER_TIMEOUT = Duration.ofSeconds(5);

	private final LockSite site;

	private final Method declaration;

	private final LockAnnotation annotation;

	private final MergedAnnotation<DistributedLock> merged;

	private final LockExpressions expressions;

	private final UnaryOperator<String> placeholders;

	private final ExpressionCheck check;

	private final DeclaredTypes types;

	LockedMethodReader(LockSite site, LockAnnotation annotation, LockExpressions expressions,
			UnaryOperator<String> placeholders) {
		this.site = site;
		this.annotation = annotation;
		this.merged = annotation.merged();
		this.declaration = (annotation.source() instanceof Method method) ? method : site.method();
		this.expressions = expressions;
		this.placeholders = placeholders;
		Map<String, Integer> arguments = expressions.argumentPositions(this.declaration);
		this.check = new ExpressionCheck(arguments.keySet());
		this.types = new DeclaredTypes(site, arguments);
	}

	/**
	 * Reads the annotation.
	 * @return what it says
	 * @throws InvalidLockDefinitionException if it cannot work
	 */
	LockedMethod read() {
		checkRepeated();
		ReturnKind returns = returns();
		OnBusy onBusy = onBusy();
		String election = election();
		JobTime job = job();
		Duration timeout = (job != null && job.takesOver()) ? job.within() : duration("timeout");
		boolean tries = this.annotation.from(ClusterJob.class) != null && timeout != null && timeout.isZero();
		Duration answerTimeout = tries ? JOB_ANSWER_TIMEOUT : null;
		LockedMethod method = new LockedMethod(this.site, this.declaration, keys(election), condition(), timeout,
				textOrNull("strategy"), maxHold(), onBusy, fallback(onBusy),
				this.merged.getEnum("onLost", OnLost.class), returns, LateWork.isUndeclared(resultType()),
				template(election), this.check.beans(), job, answerTimeout, election, null);
		checkLiterals(method);
		return method.fixIfPossible();
	}

	private ReturnKind returns() {
		ReturnKind kind = ReturnKind.of(this.site);
		String type = this.site.returnType().getSimpleName();
		return switch (kind) {
			case VALUE, FUTURE, PUBLISHER -> requireNoLateWork(kind);
			case OPAQUE_FUTURE -> throw this.site.invalid(
					"the method returns a %s, which does not report when its work is done".formatted(type),
					"Declare CompletableFuture or CompletionStage as the return type.");
			case OPAQUE_PUBLISHER -> throw this.site.invalid(
					"the method returns a %s, whose work begins when the method has returned".formatted(type),
					ReturnKind.REACTOR_PRESENT ? "Declare Mono, Flux or Publisher as the return type."
							: "Add io.projectreactor:reactor-core to the class path, or lock a method that does the work before it returns.");
			case COROUTINE -> throw this.site.invalid(
					"the method is a suspending function of Kotlin's, which nobody here can follow",
					"Lock a suspending function with org.jetbrains.kotlinx:kotlinx-coroutines-reactor on the class path.");
		};
	}

	private ReturnKind requireNoLateWork(ReturnKind kind) {
		ResolvableType type = resultType();
		String remedy = KotlinDetector.isSuspendingFunction(this.site.method()) ? LateWork.remedyOfSuspended(type)
				: LateWork.remedy(type);
		if (remedy != null) {
			throw this.site.invalid(
					"the method returns a %s, which may do its work after the method has returned, without the lock"
						.formatted(PACKAGES.matcher(type.toString()).replaceAll("")),
					remedy);
		}
		return kind;
	}

	private ResolvableType resultType() {
		Method method = this.site.method();
		if (KotlinDetector.isSuspendingFunction(method)) {
			int continuation = method.getParameterCount() - 1;
			return ResolvableType.forMethodParameter(method, continuation, this.site.targetClass()).getGeneric();
		}
		return ResolvableType.forMethodReturnType(method, this.site.targetClass());
	}

	private @Nullable String election() {
		MergedAnnotation<?> leaderOnly = this.annotation.from(LeaderOnly.class);
		if (leaderOnly == null) {
			return null;
		}
		String written = leaderOnly.getString("value");
		String name = resolve("value", written);
		if (name.isBlank()) {
			throw this.site.invalid("value", written, "is blank", "Write the name of an election.");
		}
		return name;
	}

	private @Nullable JobTime job() {
		MergedAnnotation<?> job = this.annotation.from(ClusterJob.class);
		if (job == null) {
			return null;
		}
		String written = job.getString("notAgainWithin");
		Duration within = duration("notAgainWithin", job);
		if (within == null) {
			if (job.getBoolean("takesOver")) {
				throw this.site.invalid("takesOver", "true", "needs notAgainWithin",
						"Say for how long after a start the job is not started again.");
			}
			return null;
		}
		if (!JobTime.isGood(within)) {
			throw this.site.invalid("notAgainWithin", written, "is not positive, or longer than a year",
					"Write a time longer than the instances' starts are apart, and shorter than the time between two firings.");
		}
		return new JobTime(within, job.getBoolean("takesOver"));
	}

	private void checkRepeated() {
		if (!this.annotation.isOne()) {
			throw this.site.invalid("it is there more than once, through several annotations",
					"Use one annotation, or repeat it; it can take several keys.");
		}
		for (MergedAnnotation<DistributedLock> other : this.annotation.all()) {
			ONCE.stream()
				.filter((attribute) -> other.hasNonDefaultValue(attribute)
						&& !Objects.equals(other.getValue(attribute), this.merged.getValue(attribute)))
				.findFirst()
				.ifPresent((attribute) -> {
					throw this.site.invalid(attribute, String.valueOf(other.getValue(attribute).orElse("")),
							"is not what the first of its annotations says, but applies to all keys",
							"Write it in the first one; the others give a key and a mode.");
				});
		}
	}

	private List<LockKey> keys(@Nullable String election) {
		if (election != null) {
			return List.of(new LockKey(this.site, LeaderElection.key(election), LockMode.EXCLUSIVE, 0, null));
		}
		return this.annotation.all().stream().flatMap((each) -> keysOf(each).stream()).toList();
	}

	private List<LockKey> keysOf(MergedAnnotation<DistributedLock> each) {
		List<String> texts;
		try {
			texts = LockAnnotation.keys(each);
		}
		catch (IllegalStateException ex) {
			throw this.site.invalid(ex.getMessage() + "", "Give one of them.", ex);
		}
		LockMode mode = each.getEnum("mode", LockMode.class);
		int permits = LockKey.permits(this.site, each, this.annotation.from(ClusterJob.class) != null);
		if (!texts.isEmpty()) {
			return texts.stream().map((text) -> key(text, mode, permits)).toList();
		}
		if (this.annotation.all().size() > 1) {
			throw this.site.invalid("it is repeated, but one of them has no key", "Give each a key.");
		}
		return List.of(new LockKey(this.site, this.site.defaultKey(), mode, permits, null));
	}

	private String template(@Nullable String election) {
		if (election != null) {
			return LeaderElection.key(election);
		}
		String written = String.join(", ", this.annotation.keys());
		return written.isEmpty() ? this.site.defaultKey() : written;
	}

	private LockKey key(String written, LockMode mode, int permits) {
		String text = resolve("key", written);
		if (text.isBlank()) {
			throw this.site.invalid("key", written, "is blank",
					"Write a key, or leave the attribute out for %s.".formatted(this.site.defaultKey()));
		}
		return parse("key", text, (resolved) -> {
			LockKey key = LockKey.parse(this.site, resolved, mode, permits, this.expressions);
			if (key.expression() != null) {
				this.check.check(key.expression());
				refuseOrWarn("key", resolved, this.types.missing(key.expression()));
			}
			else {
				warnOfPlainText(resolved);
			}
			return key;
		});
	}

	private void warnOfPlainText(String text) {
		String meant = this.check.asExpression(text);
		if (meant != null) {
			log.warn(
					"@DistributedLock on {}: key = \"{}\" is plain text, so that all calls share one lock; for the argument, write \"{}\"",
					this.site, text, meant);
		}
	}

	private void refuseOrWarn(String attribute, String text, DeclaredTypes.@Nullable Missing missing) {
		if (missing != null && missing.certain()) {
			throw new IllegalArgumentException(missing.problem());
		}
		if (missing != null) {
			log.warn("@DistributedLock on {}: {} = \"{}\" {}; calls fail unless the object {}", this.site, attribute,
					text, missing.problem(), missing.remedy());
		}
	}

	private @Nullable Expression condition() {
		String text = textOrNull("condition");
		if (text == null) {
			return null;
		}
		return parse("condition", text, (resolved) -> {
			Expression expression = this.expressions.parse(resolved);
			this.check.check(expression);
			refuseOrWarn("condition", resolved, this.types.missing(expression));
			refuseOrWarn("condition", resolved, this.types.notBoolean(expression));
			return expression;
		});
	}

	private <T> T parse(String attribute, String text, Function<String, T> parser) {
		try {
			return parser.apply(text);
		}
		catch (IllegalArgumentException ex) {
			String hint = this.check.hasNames() ? ""
					: " The class was compiled without -parameters, so that arguments are known as #p0, #p1 only.";
			String meant = attribute.equals("key") ? this.check.asText(text) : null;
			String remedy = (meant != null) ? TEXT_REMEDY.formatted(meant) : QUOTE_REMEDY;
			throw this.site.invalid(attribute, text, ex.getMessage() + "", remedy + hint, ex);
		}
	}

	private void checkLiterals(LockedMethod method) {
		List<LockKey> literals = method.keys().stream().filter((key) -> key.expression() == null).toList();
		try {
			if (!literals.isEmpty()) {
				method.literal(literals);
			}
		}
		catch (IllegalArgumentException ex) {
			throw this.site.invalid("key", literals.get(0).text(), "is no key: " + ex.getMessage(),
					"Shorten or correct it; a key has 1 to %d characters.".formatted(LockRequest.MAX_KEY_LENGTH), ex);
		}
	}

	private @Nullable Duration duration(String attribute) {
		return duration(attribute, this.merged);
	}

	private @Nullable Duration duration(String attribute, MergedAnnotation<?> from) {
		String text = textOrNull(attribute, from);
		if (text == null) {
			return null;
		}
		try {
			Duration duration = LockDuration.parse(text);
			if (duration.isNegative()) {
				throw new IllegalArgumentException("is negative");
			}
			return duration;
		}
		catch (IllegalArgumentException ex) {
			throw this.site.invalid(attribute, text, ex.getMessage() + "",
					"Write a duration with its unit, such as 500ms, 2s or PT2S.", ex);
		}
	}

	private @Nullable Duration maxHold() {
		Duration duration = duration("maxHold");
		if (duration != null && duration.isZero()) {
			throw this.site.invalid("maxHold", this.merged.getString("maxHold"), "would give the lock up at once",
					"Write a positive duration, or leave the attribute out for no bound.");
		}
		return duration;
	}

	private OnBusy onBusy() {
		MergedAnnotation<?> leaderOnly = this.annotation.from(LeaderOnly.class);
		String attribute = (leaderOnly != null) ? "otherwise" : "onBusy";
		OnBusy onBusy = ((leaderOnly != null) ? leaderOnly : this.merged).getEnum(attribute, OnBusy.class);
		Class<?> type = this.site.returnType();
		if (onBusy == OnBusy.SKIP && !EmptyResult.existsFor(type)) {
			throw this.site.invalid(attribute, "SKIP",
					"needs an empty value to return, which %s does not have".formatted(ClassUtils.getShortName(type)),
					"Return a wrapper type, an Optional or void (a Maybe for a Single), or %s."
						.formatted((leaderOnly != null) ? "say otherwise = THROW" : "use a fallback"));
		}
		if (onBusy == OnBusy.SKIP && EmptyResult.isForbiddenNull(this.site.method(), this.site.targetClass())) {
			throw this.site.invalid(attribute, "SKIP", "needs null to return, which the function's type does not allow",
					"Return a nullable type.");
		}
		return onBusy;
	}

	private @Nullable FallbackMethod fallback(OnBusy onBusy) {
		String name = textOrNull("fallback");
		if (name == null) {
			return null;
		}
		if (onBusy == OnBusy.SKIP) {
			throw this.site.invalid("fallback", name, "contradicts onBusy = SKIP", "Remove one of them.");
		}
		if (KotlinDetector.isSuspendingFunction(this.site.method())) {
			throw this.site.invalid("fallback", name, "is not called for suspending functions",
					"Catch LockTimeoutException where the function is called.");
		}
		return FallbackMethod.find(this.site, name);
	}

	private @Nullable String textOrNull(String attribute) {
		return textOrNull(attribute, this.merged);
	}

	private @Nullable String textOrNull(String attribute, MergedAnnotation<?> from) {
		String text = from.getString(attribute);
		if (text.isEmpty()) {
			return null;
		}
		String resolved = resolve(attribute, text);
		if (resolved.isBlank()) {
			return null;
		}
		return resolved.trim();
	}

	private String resolve(String attribute, String text) {
		try {
			return this.placeholders.apply(text);
		}
		catch (IllegalArgumentException ex) {
			throw this.site.invalid(attribute, text, "has a placeholder that cannot be resolved",
					"Define the property, or give it a default value as in ${name:default}.", ex);
		}
	}

}
