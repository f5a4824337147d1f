package io.github.zklock;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs a job on one instance of the application at a time. Each instance starts it; the
 * one that gets the lock runs it, and the others skip it and return the empty value of
 * its type.
 *
 * <pre class="code">
 * &#064;Scheduled(cron = "0 0 3 * * *")
 * &#064;ClusterJob
 * public void cleanUp() {
 * </pre>
 *
 * <p>
 * It is a {@link DistributedLock @DistributedLock} that tries once and skips; use that
 * one for anything else. As a meta-annotation it makes annotations of one's own.
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
	 * {@code package.Type.method}.
	 * @return the keys
	 */
	String[] key() default {};

}
