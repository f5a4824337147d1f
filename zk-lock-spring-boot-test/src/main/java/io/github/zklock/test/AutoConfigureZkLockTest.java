package io.github.zklock.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Gives the application context of a test a ZooKeeper server of its own, whatever
 * {@code zk-lock.connect-string} says, and a {@link LockTester} bean. The server has
 * neither TLS nor SASL, so {@code zk-lock.ssl} and {@code zk-lock.sasl} do not apply;
 * {@code zk-lock.auth} does. It ends with the context. A context whose locks would be on
 * other servers, because a bean of type {@code CuratorFramework}, {@code LockSessions} or
 * {@code ZkLockConnectionDetails} leads there, does not start.
 *
 * <p>
 * A slice such as {@code @DataJpaTest} has the locks by it, too: the lock client, and the
 * aspect of the annotations.
 *
 * @since 0.1.0
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
public @interface AutoConfigureZkLockTest {

}
