package io.github.zklock.aop;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanFactory;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.github.zklock.LockContext;
import io.github.zklock.LockHandle;

/**
 * Lets no transaction be committed under a lock that was lost: right before the commit of
 * every transaction, nested ones included, it asks the locks of the locked methods that
 * run on that thread, and those that are kept until the end of the transaction. If one
 * was lost the transaction is rolled back, and who commits gets a
 * {@link io.github.zklock.LockLostException}. Otherwise it marks the transaction as one
 * whose commit has begun, for {@link OpenTransactions}.
 *
 * <p>
 * Watches all transaction managers that are beans and Spring's
 * {@code AbstractPlatformTransactionManager}, or notify their listeners as that does.
 */
final class TransactionGuard implements BeanPostProcessor {

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		guardManager(bean);
		return bean;
	}

	private static void guardManager(Object bean) {
		if (bean instanceof PlatformTransactionManager && bean instanceof ConfigurableTransactionManager manager) {
			guard(manager);
		}
	}

	/**
	 * Guards the managers of the contexts that are parents, which may have no
	 * auto-configuration, also those that are made later.
	 * @param beanFactory the bean factory of a context with locked methods
	 */
	static void guardParents(ConfigurableBeanFactory beanFactory) {
		BeanFactory parent = beanFactory.getParentBeanFactory();
		while (parent instanceof ConfigurableListableBeanFactory factory) {
			guardIn(factory);
			parent = factory.getParentBeanFactory();
		}
	}

	private static void guardIn(ConfigurableListableBeanFactory factory) {
		if (!(factory instanceof AbstractBeanFactory known)
				|| known.getBeanPostProcessors().stream().noneMatch(TransactionGuard.class::isInstance)) {
			factory.addBeanPostProcessor(new TransactionGuard());
		}
		// What is not made yet stays so
		for (String name : factory.getBeanNamesForType(PlatformTransactionManager.class, true, false)) {
			if (factory.containsSingleton(name)) {
				guardManager(factory.getBean(name));
			}
		}
	}

	private static void guard(ConfigurableTransactionManager manager) {
		Collection<TransactionExecutionListener> listeners = manager.getTransactionExecutionListeners();
		if (listeners.stream().anyMatch(Listener.class::isInstance)) {
			return;
		}
		try {
			manager.addListener(new Listener());
		}
		catch (UnsupportedOperationException ex) {
			// It keeps the collection that its user gave it
			List<TransactionExecutionListener> all = new ArrayList<>(listeners);
			all.add(new Listener());
			manager.setTransactionExecutionListeners(all);
		}
	}

	private static final class Listener implements TransactionExecutionListener {

		@Override
		public void beforeCommit(TransactionExecution transaction) {
			for (LockHandle handle : LockContext.all()) {
				if (handle instanceof CallHandle call) {
					call.checkBeforeCommit();
				}
			}
			checkKept();
			// A nested one is part of the transaction around it
			if (!transaction.isNested() && TransactionSynchronizationManager.isSynchronizationActive()) {
				TransactionSynchronizationManager.registerSynchronization(new OpenTransactions.Committing());
			}
		}

		// Spring does not call the synchronization of one that was taken in another's
		// beforeCommit
		private static void checkKept() {
			if (TransactionSynchronizationManager.isSynchronizationActive()) {
				for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
					if (each instanceof OpenTransactions.Keeper keeper) {
						keeper.check();
					}
				}
			}
		}

	}

}
