package io.github.zklock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooKeeper;
import org.awaitility.Awaitility;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockClient;
import io.github.zklock.LockContext;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.OnLost;
import io.github.zklock.testing.Repeat;
import io.github.zklock.testing.TestServers;

/**
 * An application with a database and a journal whose methods are locked, and what tests
 * do with it.
 */
abstract class JournalFixture {

	private static final AtomicInteger ROOTS = new AtomicInteger();

	final ApplicationContextRunner runner = new ApplicationContextRunner().withUserConfiguration(Application.class)
		.withPropertyValues("zk-lock.connect-string=" + TestServers.one().connectString(),
				"zk-lock.root=/transactions-" + ROOTS.incrementAndGet(), "spring.datasource.generate-unique-name=true",
				"journal.timeout=5");

	final ApplicationContextRunner keeping = this.runner
		.withPropertyValues("zk-lock.aop.release-after-completion=true");

	static List<String> rows(ApplicationContext context) {
		return context.getBean(JdbcClient.class).sql("select text from log order by text").query(String.class).list();
	}

	static void loseSession(ApplicationContext context) {
		LockHandle held = LockContext.current();
		try {
			ZooKeeper ours = context.getBean(CuratorFramework.class).getZookeeperClient().getZooKeeper();
			TestServers.one().expire(ours.getSessionId());
			// The client would wait for up to a second before it asks the server again
			ours.getTestable().injectSessionExpiration();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
		Awaitility.await().until(() -> !held.isHeld());
	}

	static boolean isFree(ApplicationContext context, String key) {
		LockRequest request = LockRequest.exclusive(key).owner(new Object()).timeout(Duration.ofMillis(500));
		// Without an answer, or a session, yet it is not known
		Optional<LockHandle> handle = Repeat.after(LockUnavailableException.class,
				() -> context.getBean(LockClient.class).tryAcquire(request));
		handle.ifPresent(LockHandle::release);
		return handle.isPresent();
	}

	static void nothing() {
	}

	static TransactionTemplate transaction(ApplicationContext context) {
		return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
	}

	static void afterCommit(ApplicationContext context, Runnable work) {
		transaction(context).executeWithoutResult(
				(status) -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
					@Override
					public void afterCommit() {
						work.run();
					}
				}));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		Journal journal(JdbcClient jdbc) {
			jdbc.sql("create table log (text varchar(100))").update();
			return new Journal(jdbc);
		}

	}

	static class Journal {

		private final JdbcClient jdbc;

		private RuntimeException ignored;

		Journal(JdbcClient jdbc) {
			this.jdbc = jdbc;
		}

		RuntimeException ignored() {
			return this.ignored;
		}

		void insert(String text) {
			this.jdbc.sql("insert into log values (?)").param(text).update();
		}

		@Transactional
		@DistributedLock(key = "journal")
		public void write(String text, Runnable then) {
			insert(text);
			then.run();
		}

		@Transactional
		@DistributedLock(key = { "journal", "ledger" })
		public void writeUnderTwo(Runnable then) {
			insert("two");
			then.run();
		}

		@Transactional
		@DistributedLock(key = "journal", onLost = OnLost.IGNORE)
		public void writeAnyway(String text, Runnable then) {
			insert(text);
			then.run();
		}

		@Transactional
		@DistributedLock(key = "journal")
		public void writeAndIgnoreFailure(String text, Runnable then) {
			insert(text);
			try {
				then.run();
			}
			catch (RuntimeException ex) {
				this.ignored = ex;
			}
		}

		@Transactional(timeoutString = "${journal.timeout}")
		@DistributedLock(key = "journal")
		public void writeInTime(String text) {
			insert(text);
		}

		@DistributedLock(key = "journal")
		public Object undeclared(Object result) {
			return result;
		}

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		@DistributedLock(key = "other")
		public void writeInNewTransaction(String text) {
			insert(text);
		}

		@DistributedLock(key = "journal")
		public void locked(Runnable work) {
			work.run();
		}

		@DistributedLock(key = "bounded", maxHold = "200ms")
		public void bounded(Runnable work) {
			work.run();
		}

		@DistributedLock(key = "journal")
		public CompletableFuture<String> future(CompletableFuture<String> work) {
			return work;
		}

	}

}
