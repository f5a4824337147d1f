package io.github.zklock.benchmarks.jvm;

import java.util.concurrent.TimeUnit;

import org.aopalliance.intercept.MethodInterceptor;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

import io.github.zklock.DistributedLock;
import io.github.zklock.aop.DistributedLockAdvisor;
import io.github.zklock.aop.LockedMethods;

/**
 * What the annotation adds to a call, without the lock: the client that it calls grants
 * everything at once.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class InterceptorBenchmark {

	private final Order order = new Order("4711");

	private final Orders proxied = proxy(false);

	private final Orders locked = proxy(true);

	private static Orders proxy(boolean locked) {
		ProxyFactory factory = new ProxyFactory(new OrdersOfShop());
		GrantingLockClient client = new GrantingLockClient();
		factory.addAdvisor(locked
				? new DistributedLockAdvisor(new LockedMethods(new DefaultListableBeanFactory()), () -> client,
						DistributedLockAdvisor.DEFAULT_ORDER)
				: new DefaultPointcutAdvisor((MethodInterceptor) (invocation) -> invocation.proceed()));
		return (Orders) factory.getProxy();
	}

	/**
	 * Calls through a proxy that does nothing.
	 * @return what the method returns
	 */
	@Benchmark
	public int withoutLock() {
		return this.proxied.plain(this.order);
	}

	/**
	 * Calls a method whose key is a text.
	 * @return what the method returns
	 */
	@Benchmark
	public int fixedKey() {
		return this.locked.fixed(this.order);
	}

	/**
	 * Calls a method whose key is an argument's property.
	 * @return what the method returns
	 */
	@Benchmark
	public int expressionKey() {
		return this.locked.byId(this.order);
	}

	/**
	 * Calls a method whose key is a text with an expression in it.
	 * @return what the method returns
	 */
	@Benchmark
	public int templateKey() {
		return this.locked.byText(this.order);
	}

	/**
	 * What is ordered.
	 *
	 * @param id its number
	 */
	public record Order(String id) {

	}

	/**
	 * Takes orders.
	 */
	public interface Orders {

		/**
		 * Is not locked.
		 * @param order the order
		 * @return its length
		 */
		int plain(Order order);

		/**
		 * Is locked by a fixed key.
		 * @param order the order
		 * @return its length
		 */
		int fixed(Order order);

		/**
		 * Is locked by the order's number.
		 * @param order the order
		 * @return its length
		 */
		int byId(Order order);

		/**
		 * Is locked by a text with the order's number.
		 * @param order the order
		 * @return its length
		 */
		int byText(Order order);

	}

	/**
	 * Takes them at once.
	 */
	public static class OrdersOfShop implements Orders {

		@Override
		public int plain(Order order) {
			return order.id().length();
		}

		@Override
		@DistributedLock(key = "orders")
		public int fixed(Order order) {
			return order.id().length();
		}

		@Override
		@DistributedLock(key = "#order.id")
		public int byId(Order order) {
			return order.id().length();
		}

		@Override
		@DistributedLock(key = "order:#{#order.id}")
		public int byText(Order order) {
			return order.id().length();
		}

	}

}
