package io.github.zklock.aop;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.util.StringUtils;

import io.github.zklock.LockClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * A context whose locked methods take their locks from memory, or from a client that is
 * given.
 */
final class LockedBeans implements AutoCloseable {

	private final LockClient client;

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	private LockedBeans(LockClient client, boolean proxyTargetClass, Map<String, Object> properties,
			Class<?>... beans) {
		this.client = client;
		this.context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("test", properties));
		AopConfigUtils.registerAutoProxyCreatorIfNecessary(this.context);
		if (proxyTargetClass) {
			AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(this.context);
		}
		LockedMethods methods = new LockedMethods(this.context.getBeanFactory());
		this.context.registerBean(EarlyBeanGuard.class);
		this.context.registerBean(DistributedLockAdvisor.class,
				() -> new DistributedLockAdvisor(methods, () -> this.client, DistributedLockAdvisor.DEFAULT_ORDER),
				(definition) -> definition.setRole(2));
		this.context.registerBean(LockedBeanValidator.class, () -> new LockedBeanValidator(methods,
				() -> Optional.of(Set.of("naive", "sequential", "fair")), () -> true));
		for (Class<?> bean : beans) {
			this.context.registerBean(StringUtils.uncapitalize(bean.getSimpleName()), bean);
		}
	}

	static LockedBeans of(Class<?>... beans) {
		return of(Map.of(), beans);
	}

	static LockedBeans of(Map<String, Object> properties, Class<?>... beans) {
		return start(new LockedBeans(new InMemoryLockClient(), true, properties, beans));
	}

	static LockedBeans on(LockClient client, Class<?>... beans) {
		return start(new LockedBeans(client, true, Map.of(), beans));
	}

	static LockedBeans byInterface(Class<?>... beans) {
		return start(new LockedBeans(new InMemoryLockClient(), false, Map.of(), beans));
	}

	private static LockedBeans start(LockedBeans locked) {
		try {
			locked.context.refresh();
			return locked;
		}
		catch (RuntimeException ex) {
			locked.context.close();
			throw ex;
		}
	}

	static InvalidLockDefinitionException mistake(Class<?>... beans) {
		return rootOf(catchThrowable(() -> of(beans).close()));
	}

	static InvalidLockDefinitionException mistakeByInterface(Class<?>... beans) {
		return rootOf(catchThrowable(() -> byInterface(beans).close()));
	}

	static void assertMistake(Class<?> bean, String problem, String remedy) {
		InvalidLockDefinitionException mistake = mistake(bean);
		assertThat(mistake.getProblem()).contains(bean.getName()).contains(problem);
		assertThat(mistake.getRemedy()).contains(remedy);
		assertThat(mistake).hasMessage(mistake.getProblem() + " " + mistake.getRemedy());
	}

	private static InvalidLockDefinitionException rootOf(Throwable thrown) {
		Throwable cause = thrown;
		while (cause != null && !(cause instanceof InvalidLockDefinitionException)) {
			cause = cause.getCause();
		}
		assertThat(cause).as("a mistake found at start-up, in " + thrown).isNotNull();
		return (InvalidLockDefinitionException) cause;
	}

	InMemoryLockClient client() {
		return (InMemoryLockClient) this.client;
	}

	AnnotationConfigApplicationContext context() {
		return this.context;
	}

	<T> T get(Class<T> type) {
		return this.context.getBean(type);
	}

	@Override
	public void close() {
		this.context.close();
	}

}
