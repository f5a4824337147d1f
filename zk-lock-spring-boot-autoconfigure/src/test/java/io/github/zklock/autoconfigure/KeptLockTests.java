package io.github.zklock.autoconfigure;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.github.zklock.LockClient;
import io.github.zklock.LockContext;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockRequest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Locks that are kept until the open transaction of a real database is completed.
 */
@ExtendWith(OutputCaptureExtension.class)
class KeptLockTests extends JournalFixture {

	@Test
	void lockIsNotKeptByATransactionThatIsCommitted() {
		this.keeping.run((context) -> afterCommit(context, () -> {
			context.getBean(Journal.class).locked(JournalFixture::nothing);
			assertThat(isFree(context, "journal")).isTrue();
		}));
	}

	@Test
	void lockIsKeptUntilTheOpenTransactionIsCommitted(CapturedOutput output) {
		this.keeping.run((context) -> {
			transaction(context).executeWithoutResult((status) -> {
				context.getBean(Journal.class).write("a", JournalFixture::nothing);
				context.getBean(Journal.class).write("b", JournalFixture::nothing);
				assertThat(LockContext.find()).isEmpty();
				TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
					@Override
					public void afterCommit() {
						assertThat(rows(context)).containsExactly("a", "b");
						assertThat(isFree(context, "journal")).as("held until it is committed").isFalse();
					}
				});
			});
			assertThat(rows(context)).containsExactly("a", "b");
			assertThat(isFree(context, "journal")).isTrue();
			assertThat(output).doesNotContain("inside an open transaction");
		});
	}

	@Test
	void lockIsKeptUntilTheOpenTransactionIsRolledBack() {
		this.keeping.run((context) -> {
			transaction(context).executeWithoutResult((status) -> {
				assertThatIllegalStateException().isThrownBy(() -> context.getBean(Journal.class).locked(() -> {
					throw new IllegalStateException("of the method");
				}));
				status.setRollbackOnly();
				assertThat(isFree(context, "journal")).isFalse();
			});
			assertThat(isFree(context, "journal")).isTrue();
		});
	}

	@Test
	void openTransactionIsRolledBackWhenTheKeptLockIsLostAfterTheMethod() {
		this.keeping.run((context) -> {
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> transaction(context).executeWithoutResult((status) -> writeAndLoseLater(context)))
				.withMessageContaining("so its transaction is rolled back");
			assertThat(rows(context)).isEmpty();
			assertThat(isFree(context, "journal")).isTrue();
		});
	}

	private static void writeAndLoseLater(ApplicationContext context) {
		LockHandle[] kept = new LockHandle[1];
		context.getBean(Journal.class).write("a", () -> kept[0] = LockContext.current());
		try (LockContext.Scope scope = LockContext.open(kept[0])) {
			loseSession(context);
		}
	}

	@Test
	void openTransactionIsRolledBackWhenALockIsLostThatWasTakenRightBeforeTheCommit() {
		this.keeping.withUserConfiguration(Late.class).run((context) -> {
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> transaction(context).executeWithoutResult(
						(status) -> context.publishEvent((Runnable) () -> writeAndLoseLater(context))))
				.withMessageContaining("so its transaction is rolled back");
			assertThat(rows(context)).isEmpty();
			assertThat(isFree(context, "journal")).isTrue();
		});
	}

	@Test
	void lockThatIsTakenRightBeforeTheCommitIsKept() {
		this.keeping.withUserConfiguration(Late.class).run((context) -> {
			transaction(context).executeWithoutResult((status) -> context.publishEvent((Runnable) () -> {
				context.getBean(Journal.class).write("a", JournalFixture::nothing);
				assertThat(isFree(context, "journal")).as("held until it is committed").isFalse();
			}));
			assertThat(rows(context)).containsExactly("a");
			assertThat(isFree(context, "journal")).isTrue();
		});
	}

	@Test
	void openTransactionIsRolledBackAlsoWhenItIgnoresTheLossInTheMethod() {
		this.keeping.run((context) -> {
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> transaction(context).executeWithoutResult((status) -> {
					context.getBean(Journal.class).insert("a");
					assertThatExceptionOfType(LockLostException.class)
						.isThrownBy(() -> context.getBean(Journal.class).locked(() -> loseSession(context)));
				}));
			assertThat(rows(context)).isEmpty();
		});
	}

	@Test
	void timeOutOfTheMethodsOwnTransactionMayBeConfigured() {
		this.keeping.run((context) -> transaction(context).executeWithoutResult((status) -> {
			context.getBean(Journal.class).writeInTime("a");
			assertThat(isFree(context, "journal")).as("held until it is committed").isFalse();
		}));
	}

	@Test
	void lockOfTheClientAroundTheMethodIsNoReasonNotToKeepIt() {
		this.keeping.run((context) -> {
			PlatformTransactionManager transactions = context.getBean(PlatformTransactionManager.class);
			TransactionStatus open = transactions.getTransaction(null);
			context.getBean(LockClient.class)
				.run(LockRequest.exclusive("journal"),
						() -> context.getBean(Journal.class).write("a", JournalFixture::nothing));
			assertThat(isFree(context, "journal")).as("held until it is committed").isFalse();
			transactions.commit(open);
			assertThat(isFree(context, "journal")).isTrue();
		});
	}

	@Test
	void lockThatTheMethodAroundHasReleasedIsNoReasonNotToKeepIt() {
		this.keeping.run((context) -> {
			Journal journal = context.getBean(Journal.class);
			journal.locked(() -> transaction(context).executeWithoutResult((status) -> {
				LockContext.current().release();
				journal.write("a", JournalFixture::nothing);
				assertThat(isFree(context, "journal")).as("held until it is committed").isFalse();
			}));
			assertThat(isFree(context, "journal")).isTrue();
		});
	}

	@Test
	void futureThatIsDeclaredAsAnObjectIsRefusedAndKept() {
		this.keeping.run((context) -> {
			CompletableFuture<String> work = new CompletableFuture<>();
			assertThatIllegalStateException().isThrownBy(() -> transaction(context)
				.executeWithoutResult((status) -> context.getBean(Journal.class).undeclared(work)));
			assertThat(isFree(context, "journal")).as("held until the work is done").isFalse();
			work.complete("done");
			assertThat(isFree(context, "journal")).isTrue();
		});
	}

	@Test
	void futureIsNotKeptAndWarnedOf(CapturedOutput output) {
		this.keeping.run((context) -> {
			CompletableFuture<String> work = new CompletableFuture<>();
			CompletableFuture<String> result = transaction(context)
				.execute((status) -> context.getBean(Journal.class).future(work));
			assertThat(isFree(context, "journal")).isFalse();
			work.complete("done");
			assertThat(result.get(10, TimeUnit.SECONDS)).isEqualTo("done");
			assertThat(isFree(context, "journal")).isTrue();
			assertThat(output).contains("Journal.future(CompletableFuture) was called inside an open transaction")
				.doesNotContain("release-after-completion=true");
		});
	}

	@Configuration(proxyBeanMethods = false)
	static class Late {

		@TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
		void run(Runnable work) {
			work.run();
		}

	}

}
