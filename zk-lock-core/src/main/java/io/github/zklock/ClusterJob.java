package io.github.zklock;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs a job on one instance of the application at a time. Each instance starts it; the
 * one that gets the lock runs it, and the others skip it and return the empty value of
 * its type ({@link OnBusy#SKIP}).
 *
 * <pre class="code">
 * &#064;Scheduled(cron = "0 0 3 * * *")
 * &#064;ClusterJob
 * public void cleanUp() {
 * </pre>
 *
 * <p>
 * It is a {@link DistributedLock @DistributedLock} that tries once and skips, and that
 * may run {@linkplain #notAgainWithin once for each firing}; use that one for anything
 * else. It waits for five seconds for ZooKeeper's answers
 * ({@link LockRequest#answerTimeout}), with {@link #takesOver} for as long as for others,
 * and throws {@link LockUnavailableException} then. As a meta-annotation it makes
 * annotations of one's own.
 *
 * @since 0.1.0
 */
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@DistributedLock(timeout = "0", onBusy = OnBusy.SKIP)
public @interface ClusterJob {

	/**
	 * Alias of {@link #key()}.
	 * @return the keys
	 */
	String[] value() default {};

	/**
	 * The key, or several keys, as {@link DistributedLock#key()}. Empty means
	 * {@code package.Type.method}. Classes that inherit the method, beans of one class
	 * and overloads would share that: one is skipped while another runs, which the log
	 * warns of at start, or when another has run ({@link #notAgainWithin}), and then the
	 * application does not start.
	 * @return the keys
	 */
	String[] key() default {};

	/**
	 * For how long after its last start the job is not started again, on any instance and
	 * although its lock is free: {@code 10m}, {@code PT10M}, {@code ${job.within}}. So a
	 * job that ends in milliseconds, or whose instance dies right after it, still runs
	 * once for each firing, if the time is longer than the instances' calls are apart and
	 * shorter than the shortest time between two firings less what an instance may wait
	 * for the lock. Empty means that it runs whenever its lock is free.
	 * @return the time
	 * @see LockClient#notAgainWithin
	 */
	String notAgainWithin() default "";

	/**
	 * Whether the job runs again for the same firing if the instance that ran it has
	 * died, or has lost its lock: the others wait, up to {@link #notAgainWithin}, until
	 * it has ended or died. Otherwise the next firing makes up for it.
	 * @return true for at least once, false for at most once each firing
	 */
	boolean takesOver() default false;

}
