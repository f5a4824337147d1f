package io.github.zklock.sample.docs;

import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockContext;

/**
 * Accounts in a database that refuses holders that woke up late.
 */
class Accounts {

	private final JdbcClient jdbc;

	private final Audit audit;

	Accounts(JdbcClient jdbc, Audit audit) {
		this.jdbc = jdbc;
		this.audit = audit;
	}

	// tag::update[]
	@DistributedLock(key = "account-#{#id}")
	@Transactional
	public void withdraw(long id, int amount) {
		long token = LockContext.current().fencingToken();
		int balance = balance(id);
		this.audit.check(id, amount); // may take long
		int changed = this.jdbc
			.sql("update account set balance = :balance, fence = :token where id = :id and fence <= :token")
			.param("balance", balance - amount)
			.param("token", token)
			.param("id", id)
			.update();
		if (changed == 0) {
			throw new OptimisticLockingFailureException("A later holder of the lock has changed account " + id);
		}
	}
	// end::update[]

	int balance(long id) {
		return this.jdbc.sql("select balance from account where id = :id")
			.param("id", id)
			.query(Integer.class)
			.single();
	}

	/**
	 * Takes its time.
	 */
	interface Audit {

		void check(long id, int amount);

	}

}
