package io.github.zklock;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs a method only while holding a lock that excludes all other instances of the
 * application. On a class or interface it applies to all its public methods; as a
 * meta-annotation it makes annotations of one's own.
 *
 * <p>
 * A method that returns a {@link java.util.concurrent.CompletableFuture} or
 * {@link java.util.concurrent.CompletionStage} holds the lock until that is complete. One
 * that returns a publisher ({@code Mono}, {@code Flux}; needs Reactor) runs for each
 * subscription when its lock is held, without blocking the subscriber, and holds it until
 * the publisher has ended or is cancelled; all failures are then signals.
 *
 * <p>
 * A call through the proxy does not run the method without the lock, unless
 * {@link #condition()} is false or locking is switched off. If others hold a key until
 * the time-out is over, the call throws {@link LockTimeoutException}, unless
 * {@link #onBusy()} or {@link #fallback()} says otherwise. If ZooKeeper gives no answer
 * or refuses, it throws {@link LockUnavailableException}. If the waiting thread is
 * interrupted, it throws {@link InterruptedException} if the method declares that,
 * otherwise a {@link LockException}. If the lock is lost while the method runs,
 * {@link #onLost()} says what happens ({@link LockLostException} by default). A call by a
 * method of the same object passes no proxy and takes no lock. Nor does a final method
 * that a class inherits from one without the annotation; the log warns of it at start.
 *
 * <p>
 * Repeated, it takes keys in modes of their own, all or none, whatever their order:
 *
 * <pre class="code">
 * &#064;DistributedLock(key = "tariff-#{#tariff}", mode = LockMode.READ, timeout = "2s")
 * &#064;DistributedLock(key = "account-#{#account}", mode = LockMode.WRITE)
 * public void charge(String tariff, String account) {
 * </pre>
 *
 * The first one says everything else; the others give a key, and a mode or a number of
 * permits. A key that comes twice is taken once, in the stronger mode.
 *
 * <p>
 * Text attributes may have <code>${...}</code> placeholders. Mistakes are found when the
 * bean is created.
 *
 * @since 0.1.0
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Repeatable(DistributedLock.List.class)
public @interface DistributedLock {

	/**
	 * Alias of {@link #key()}.
	 * @return the keys
	 */
	String[] value() default {};

	/**
	 * The key, or several keys that are taken all or none. Text with <code>#&#123;</code>
	 * is a SpEL template; text with {@code #}, {@code '}, {@code (} or {@code @} is a
	 * SpEL expression over the arguments (by name, {@code #p0}), {@code #root.method},
	 * {@code #root.target}, {@code #root.args} and beans; anything else is literal. An
	 * expression may give a collection of keys. Empty means {@code package.Type.method}.
	 * @return the keys
	 */
	String[] key() default {};

	/**
	 * How the lock excludes others.
	 * @return the mode
	 */
	LockMode mode() default LockMode.EXCLUSIVE;

	/**
	 * How many may hold the key at a time, in all instances together, as with a
	 * semaphore: {@code permits = 5} lets five calls run. 0 is a lock, which one may
	 * hold. Not with a {@link #mode()}.
	 * @return the number, up to {@link LockRequest#MAX_PERMITS}
	 * @see LockRequest#permits(String, int)
	 */
	int permits() default 0;

	/**
	 * How long to queue at most: {@code 500ms}, {@code 2s}, {@code PT2S}. {@code 0} tries
	 * once. Empty means {@code zk-lock.timeout}.
	 * @return the time-out
	 */
	String timeout() default "";

	/**
	 * The strategy's name. Empty means {@code zk-lock.strategy}.
	 * @return {@code naive}, {@code sequential} or one of the user's own
	 */
	String strategy() default "";

	/**
	 * A SpEL expression over the same things as {@link #key()}; when it is false the
	 * method runs without the lock, as the author asked for. Empty means always lock.
	 * @return the condition
	 */
	String condition() default "";

	/**
	 * What to do when others hold the key until the time-out is over.
	 * @return the reaction
	 */
	OnBusy onBusy() default OnBusy.THROW;

	/**
	 * The name of a method of the same class to call instead when others hold the key
	 * until the time-out is over: the same parameters, optionally plus a last one of type
	 * {@link LockTimeoutException}, and a compatible return type; a publisher is
	 * subscribed to without the lock. Excludes {@link OnBusy#SKIP}.
	 * @return the method's name
	 */
	String fallback() default "";

	/**
	 * What to do when the lock is lost while the method runs, or before what it returned
	 * has ended.
	 * @return the reaction
	 */
	OnLost onLost() default OnLost.THROW;

	/**
	 * How long the lock may be held; then the lock is given up and is lost. Empty means
	 * without bound.
	 * @return the bound
	 */
	String maxHold() default "";

	/**
	 * Several annotations on one element, as the compiler puts them together.
	 */
	@Target({ ElementType.METHOD, ElementType.TYPE })
	@Retention(RetentionPolicy.RUNTIME)
	@Inherited
	@Documented
	@interface List {

		/**
		 * The annotations.
		 * @return at least two
		 */
		DistributedLock[] value();

	}

}
