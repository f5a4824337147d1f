package io.github.zklock.test;

import java.lang.reflect.Constructor;
import java.util.Map;
import java.util.function.Function;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

import io.github.zklock.LockClient;
import io.github.zklock.zookeeper.ZooKeeperLockClient;

/**
 * Gives the tests of a class a ZooKeeper server and a lock client, without Spring.
 * Methods and constructors may have parameters of type {@link LockClient},
 * {@link ZooKeeperLockClient}, {@link LockTester}, {@link CuratorFramework} and
 * {@link EmbeddedZooKeeper}. Use it by
 * {@link org.junit.jupiter.api.extension.ExtendWith @ExtendWith}, or in a static field
 * with {@link org.junit.jupiter.api.extension.RegisterExtension @RegisterExtension}.
 *
 * @since 0.1.0
 */
public final class ZkLockExtension implements BeforeAllCallback, ParameterResolver {

	private static final String ROOT = "/zk-lock";

	@Override
	public void beforeAll(ExtensionContext context) {
		start(context);
	}

	// In the store of the class, which closes them when it has ended, also without having
	// begun; a nested class finds those of the class around it
	@SuppressWarnings("deprecation") // JUnit 5 has no other
	private static void start(ExtensionContext context) {
		store(context).getOrComputeIfAbsent(Parts.class, (key) -> Parts.start(), Parts.class);
	}

	private static @Nullable Parts parts(ExtensionContext context) {
		return store(context).get(Parts.class, Parts.class);
	}

	// Namespace is final since JUnit 6, and a class file that names it says so: compiled
	// on JUnit 5 it would be another one
	private static Store store(ExtensionContext context) {
		try {
			Class<?> namespace = Class.forName(ExtensionContext.class.getName() + "$Namespace");
			return (Store) ExtensionContext.class.getMethod("getStore", namespace)
				.invoke(context, namespace.getField("GLOBAL").get(null));
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException("JUnit gives no store", ex);
		}
	}

	@Override
	public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
		return Parts.BY_TYPE.containsKey(parameter.getParameter().getType())
				&& (comesBeforeAll(parameter, context) || parts(context) != null);
	}

	// An instance for all tests of a class is made before the class is begun
	private static boolean comesBeforeAll(ParameterContext parameter, ExtensionContext context) {
		return parameter.getDeclaringExecutable() instanceof Constructor && isOneInstance(context);
	}

	private static boolean isOneInstance(ExtensionContext context) {
		return context.getTestInstanceLifecycle().filter((lifecycle) -> lifecycle == Lifecycle.PER_CLASS).isPresent();
	}

	@Override
	public @Nullable Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
		if (comesBeforeAll(parameter, context)) {
			start(context);
		}
		Parts parts = parts(context);
		return (parts != null) ? parts.get(parameter.getParameter().getType()) : null;
	}

	/**
	 * What a class of tests has. JUnit 5.12 closes nothing but its own type of resources,
	 * and later versions want the other one.
	 *
	 * @param server the server
	 * @param own its connection and its lock client
	 * @param tester its tester
	 */
	@SuppressWarnings("deprecation") // see above
	private record Parts(EmbeddedZooKeeper server, ConnectedClient own,
			LockTester tester) implements CloseableResource, AutoCloseable {

		static final Map<Class<?>, Function<Parts, Object>> BY_TYPE = Map.of(LockClient.class,
				(parts) -> parts.own.client(), ZooKeeperLockClient.class, (parts) -> parts.own.client(),
				LockTester.class, Parts::tester, CuratorFramework.class, (parts) -> parts.own.curator(),
				EmbeddedZooKeeper.class, Parts::server);

		static Parts start() {
			EmbeddedZooKeeper server = EmbeddedZooKeeper.start();
			try {
				ConnectedClient own = ConnectedClient.start(
						CuratorFrameworkFactory.newClient(server.connectString(), new ExponentialBackoffRetry(100, 5)),
						(builder) -> builder.root(ROOT));
				return new Parts(server, own, new LockTester(own.curator(), ROOT));
			}
			catch (Throwable ex) {
				server.close();
				throw ex;
			}
		}

		@Nullable Object get(Class<?> type) {
			Function<Parts, Object> part = BY_TYPE.get(type);
			return (part != null) ? part.apply(this) : null;
		}

		@Override
		public void close() {
			this.tester.close();
			this.own.close();
			this.server.close();
		}

	}

}
