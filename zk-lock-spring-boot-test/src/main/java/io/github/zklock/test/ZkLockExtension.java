package io.github.zklock.test;

import java.lang.reflect.Constructor;
import java.util.Map;
import java.util.function.Function;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

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
public final class ZkLockExtension
		implements BeforeAllCallback, AfterAllCallback, ParameterResolver, InvocationInterceptor {

	private static final String ROOT = "/zk-lock";

	private @Nullable Parts parts;

	private @Nullable String startedBy;

	@Override
	public void beforeAll(ExtensionContext context) {
		start(context);
	}

	private void start(ExtensionContext context) {
		if (this.parts == null) {
			this.parts = Parts.start();
			this.startedBy = context.getUniqueId();
		}
	}

	/**
	 * Closes what was started for an instance that cannot be made: there is no
	 * {@code afterAll} then.
	 */
	@Override
	public <T> T interceptTestClassConstructor(Invocation<T> invocation,
			ReflectiveInvocationContext<Constructor<T>> constructor, ExtensionContext context) throws Throwable {
		boolean made = false;
		try {
			T instance = invocation.proceed();
			made = true;
			return instance;
		}
		finally {
			if (!made && isOneInstance(context)) {
				afterAll(context);
			}
		}
	}

	@Override
	public void afterAll(ExtensionContext context) {
		if (this.parts != null && context.getUniqueId().equals(this.startedBy)) {
			this.parts.close();
			this.parts = null;
		}
	}

	@Override
	public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
		return (this.parts != null || comesBeforeAll(parameter, context))
				&& Parts.BY_TYPE.containsKey(parameter.getParameter().getType());
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
		return (this.parts != null) ? this.parts.get(parameter.getParameter().getType()) : null;
	}

	/**
	 * What a class of tests has.
	 *
	 * @param server the server
	 * @param curator its connection
	 * @param client its lock client
	 * @param tester its tester
	 */
	private record Parts(EmbeddedZooKeeper server, CuratorFramework curator, ZooKeeperLockClient client,
			LockTester tester) implements AutoCloseable {

		static final Map<Class<?>, Function<Parts, Object>> BY_TYPE = Map.of(LockClient.class, Parts::client,
				ZooKeeperLockClient.class, Parts::client, LockTester.class, Parts::tester, CuratorFramework.class,
				Parts::curator, EmbeddedZooKeeper.class, Parts::server);

		static Parts start() {
			EmbeddedZooKeeper server = EmbeddedZooKeeper.start();
			CuratorFramework curator = CuratorFrameworkFactory.newClient(server.connectString(),
					new ExponentialBackoffRetry(100, 5));
			curator.start();
			ZooKeeperLockClient client = ZooKeeperLockClient.builder(curator).root(ROOT).build();
			LockTester.awaitReady(client);
			return new Parts(server, curator, client, new LockTester(curator, ROOT));
		}

		@Nullable Object get(Class<?> type) {
			Function<Parts, Object> part = BY_TYPE.get(type);
			return (part != null) ? part.apply(this) : null;
		}

		@Override
		public void close() {
			this.tester.close();
			this.client.close();
			this.curator.close();
			this.server.close();
		}

	}

}
