package io.github.zklock.autoconfigure;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockClient;
import io.github.zklock.LockLostException;
import io.github.zklock.LockRequest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Locks that are taken inside of an open transaction of a real database, and released
 * before it commits.
 */
@ExtendWith(OutputCaptureExtension.class)
class OpenTransactionTests extends JournalFixture {

	@Test
	void openTransactionIsWarnedOfOnceForEachMethod(CapturedOutput output) {
		this.runner.run((context) -> {
			Journal journal = context.getBean(Journal.class);
			transaction(context).executeWithoutResult((status) -> {
				journal.write("a", JournalFixture::nothing);
				assertThat(isFree(context, "journal")).as("released before the commit").isTrue();
				journal.write("b", JournalFixture::nothing);
				journal.locked(JournalFixture::nothing);
			});
			assertThat(output.getOut().lines().filter((line) -> line.contains("inside an open transaction"))).hasSize(2)
				.anySatisfy((line) -> assertThat(line).contains("WARN",
						"Journal.write(String, Runnable) was called inside an open transaction, so lock 'journal' is released before that transaction commits",
						"zk-lock.aop.release-after-completion=true"))
				.anySatisfy((line) -> assertThat(line).contains("Journal.locked(Runnable)"));
		});
	}

	@Test
	void transactionThatDoesNotConcernTheMethodIsNotWarnedOf(CapturedOutput output) {
		this.runner.run((context) -> {
			Journal journal = context.getBean(Journal.class);
			transaction(context).executeWithoutResult((status) -> journal.writeInNewTransaction("own transaction"));
			journal.write("lock around the transaction", () -> journal.locked(JournalFixture::nothing));
			assertThat(rows(context)).hasSize(2);
			assertThat(output).doesNotContain("inside an open transaction");
		});
	}

	@Test
	void transactionThatIsCommittedIsNotWarnedOf(CapturedOutput output) {
		this.runner.run((context) -> {
			Journal journal = context.getBean(Journal.class);
			Runnable call = () -> journal.locked(JournalFixture::nothing);
			afterCommit(context, call);
			assertThat(output).doesNotContain("inside an open transaction");
			transaction(context).executeWithoutResult((status) -> call.run());
			assertThat(output).contains("Journal.locked(Runnable) was called inside an open transaction");
		});
	}

	@Test
	void transactionThatIsOpenedAfterTheCommitOfAnotherIsWarnedOf(CapturedOutput output) {
		this.runner.run((context) -> {
			TransactionTemplate inner = transaction(context);
			inner.setPropagationBehavior(TransactionTemplate.PROPAGATION_REQUIRES_NEW);
			Journal journal = context.getBean(Journal.class);
			afterCommit(context, () -> {
				inner.executeWithoutResult((status) -> journal.locked(JournalFixture::nothing));
				journal.undeclared("outside of both");
			});
			assertThat(output).contains("Journal.locked(Runnable) was called inside an open transaction")
				.doesNotContain("Journal.undeclared(Object) was called");
		});
	}

	@Test
	void transactionWhoseNestedOneIsCommittedIsWarnedOf(CapturedOutput output) {
		this.runner.run((context) -> transaction(context).executeWithoutResult((status) -> {
			TransactionTemplate nested = transaction(context);
			nested.setPropagationBehavior(TransactionTemplate.PROPAGATION_NESTED);
			nested.executeWithoutResult((inner) -> context.getBean(Journal.class).insert("a"));
			context.getBean(Journal.class).locked(JournalFixture::nothing);
			assertThat(output).contains("Journal.locked(Runnable) was called inside an open transaction");
		}));
	}

	@Test
	void annotationOfASubclassIsNoneOfAMethodThatItInherits(CapturedOutput output) {
		this.runner.withUserConfiguration(Inherited.class).run((context) -> {
			InNewTransaction journal = context.getBean(InNewTransaction.class);
			transaction(context).executeWithoutResult((status) -> journal.ownTransaction("a"));
			assertThat(output).doesNotContain("inside an open transaction");
			transaction(context).executeWithoutResult((status) -> journal.locked(JournalFixture::nothing));
			assertThat(output)
				.contains("InNewTransaction.locked(Runnable) was called inside an open transaction, so lock 'journal'");
		});
	}

	@Test
	void lockOfTheClientAroundTheTransactionIsNotWarnedOf(CapturedOutput output) {
		this.runner.run((context) -> {
			context.getBean(LockClient.class)
				.run(LockRequest.exclusive("journal"), () -> transaction(context).executeWithoutResult(
						(status) -> context.getBean(Journal.class).write("a", JournalFixture::nothing)));
			assertThat(output).doesNotContain("inside an open transaction");
		});
	}

	@Test
	void allKeysAreNamed(CapturedOutput output) {
		this.runner.run((context) -> {
			Journal journal = context.getBean(Journal.class);
			transaction(context).executeWithoutResult((status) -> journal.writeUnderTwo(JournalFixture::nothing));
			assertThat(output).contains("so locks [journal, ledger] are released before that transaction commits");
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> journal.writeUnderTwo(() -> loseSession(context)))
				.withMessageContaining("A hold of locks [journal, ledger] of ")
				.withMessageContaining(" was lost, so its transaction is rolled back");
		});
	}

	@Configuration(proxyBeanMethods = false)
	static class Inherited {

		@Bean
		InNewTransaction inNewTransaction(JdbcClient jdbc) {
			return new InNewTransaction(jdbc);
		}

	}

	@Transactional(propagation = Propagation.REQUIRES_NEW)
	static class InNewTransaction extends Journal {

		InNewTransaction(JdbcClient jdbc) {
			super(jdbc);
		}

		@DistributedLock(key = "own")
		public void ownTransaction(String text) {
			insert(text);
		}

	}

}
