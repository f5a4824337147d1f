package io.github.zklock;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs a method only on the instance of the application that leads an election. The
 * others skip it and return the empty value of its type ({@link OnBusy#SKIP}), or throw.
 *
 * <pre class="code">
 * &#064;Scheduled(fixedDelay = 1000)
 * &#064;LeaderOnly("billing")
 * public void collect() {
 * </pre>
 *
 * <p>
 * A call of the method asks nothing of ZooKeeper, only the {@link LeaderElection} of that
 * name. As long as the method runs, no other instance leads, unless leadership is lost:
 * then the method's result is replaced by a {@link LockLostException}, as with
 * {@link OnLost#THROW}. Inside the method {@link LockContext#current()} is the
 * leadership, and its fencing token is the term.
 *
 * <p>
 * It is a {@link DistributedLock @DistributedLock} whose lock the election has: what that
 * one refuses at start is refused here. As a meta-annotation it makes annotations of
 * one's own.
 *
 * @since 0.1.0
 */
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@DistributedLock(timeout = "0", onBusy = OnBusy.SKIP)
public @interface LeaderOnly {

	/**
	 * The name of the election. It may have <code>${...}</code> placeholders.
	 * @return the name
	 */
	String value();

	/**
	 * What to do when this instance does not lead: skip the method, or throw
	 * {@link LockTimeoutException}.
	 * @return the reaction
	 */
	OnBusy otherwise() default OnBusy.SKIP;

}
