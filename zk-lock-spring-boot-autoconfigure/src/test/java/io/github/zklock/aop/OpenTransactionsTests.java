package io.github.zklock.aop;

import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

import io.github.zklock.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * What is remembered of methods that take part in transactions. What becomes of their
 * locks is tested with a database.
 */
class OpenTransactionsTests {

	@Test
	void classOfAnApplicationThatWasStartedAnewIsForgotten() throws Exception {
		WeakReference<Class<?>> type = new WeakReference<>(useOnce());
		ReflectionUtils.clearCache();
		AnnotationUtils.clearCache();
		ResolvableType.clearCache();
		await().until(() -> {
			System.gc();
			return type.refersTo(null);
		});
	}

	@Test
	void lockOfAMethodWhoseTransactionCannotBeReadIsReleased() {
		TransactionSynchronizationManager.initSynchronization();
		TransactionSynchronizationManager.setActualTransactionActive(true);
		try (LockedBeans beans = LockedBeans.of(Unreadable.class)) {
			assertThatIllegalArgumentException().isThrownBy(() -> beans.get(Unreadable.class).run());
			assertThat(beans.client().isHeld("unreadable")).isFalse();
		}
		finally {
			TransactionSynchronizationManager.clear();
		}
	}

	private static Class<?> useOnce() throws Exception {
		Class<?> type = new RestartLoader().load(Joining.class);
		Method method = ReflectionUtils.findMethod(type, "run");
		LockedMethod locked = new LockedMethods(new DefaultListableBeanFactory()).get(method, type);
		assertThat(new OpenTransactions(true).keeps(locked)).isTrue();
		return type;
	}

	/** Defines classes anew, as one for restarts does. */
	private static final class RestartLoader extends ClassLoader {

		RestartLoader() {
			super(OpenTransactionsTests.class.getClassLoader());
		}

		Class<?> load(Class<?> type) throws Exception {
			try (InputStream file = type.getResourceAsStream(ClassUtils.getClassFileName(type))) {
				byte[] bytes = file.readAllBytes();
				return defineClass(type.getName(), bytes, 0, bytes.length);
			}
		}

	}

	static class Unreadable {

		@Transactional(rollbackForClassName = "")
		@DistributedLock(key = "unreadable")
		public void run() {
		}

	}

	static class Joining {

		@Transactional
		@DistributedLock(key = "joining")
		public void run() {
		}

	}

}
