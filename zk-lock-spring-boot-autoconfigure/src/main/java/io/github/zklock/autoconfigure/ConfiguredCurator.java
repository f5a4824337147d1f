package io.github.zklock.autoconfigure;

import java.util.List;

import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.NamedBeanHolder;
import org.springframework.util.StringUtils;

/**
 * Finds the connection of the locks among those that there are.
 */
final class ConfiguredCurator {

	private ConfiguredCurator() {
	}

	/**
	 * Returns the client that the properties name, the primary one, or the only one.
	 * @param beans has one or several
	 * @param properties may name one
	 * @param user the bean that uses it, which is destroyed before it
	 * @return the client
	 * @throws ZkLockStartupException if it is not known which one is meant, or if it is
	 * another one after a while
	 */
	static CuratorFramework of(ConfigurableListableBeanFactory beans, ZkLockProperties properties, String user) {
		NamedBeanHolder<CuratorFramework> found = find(beans, properties.getCuratorBean());
		checkItStays(found);
		beans.registerDependentBean(found.getBeanName(), user);
		return found.getBeanInstance();
	}

	// What listens to the first connection would not listen to the next one
	private static void checkItStays(NamedBeanHolder<CuratorFramework> found) {
		if (found.getBeanInstance() instanceof ScopedObject) {
			throw new ZkLockStartupException(
					"The CuratorFramework bean '%s' has a scope, as by @RefreshScope, in which there may be another connection later, but locks need one that stays for as long as the application runs."
						.formatted(found.getBeanName()),
					"Remove the scope. If others need it, define a second CuratorFramework bean without one, and name it by zk-lock.curator-bean.");
		}
	}

	private static NamedBeanHolder<CuratorFramework> find(ConfigurableListableBeanFactory beans,
			@Nullable String name) {
		if (!StringUtils.hasText(name)) {
			return only(beans);
		}
		if (!names(beans).contains(name)) {
			throw new ZkLockStartupException(
					"zk-lock.curator-bean is '%s', but there is no CuratorFramework bean of that name.".formatted(name),
					"Use one of %s, or remove zk-lock.curator-bean.".formatted(String.join(", ", names(beans))));
		}
		return new NamedBeanHolder<>(name, beans.getBean(name, CuratorFramework.class));
	}

	private static NamedBeanHolder<CuratorFramework> only(ConfigurableListableBeanFactory beans) {
		try {
			return beans.resolveNamedBean(CuratorFramework.class);
		}
		catch (NoUniqueBeanDefinitionException ex) {
			throw new ZkLockStartupException(
					"There are several CuratorFramework beans (%s), and nothing says which one the locks are to use."
						.formatted(String.join(", ", names(beans))),
					"Name it, as in zk-lock.curator-bean=%s, or mark one of them with @Primary."
						.formatted(names(beans).get(0)),
					ex);
		}
	}

	private static List<String> names(ListableBeanFactory beans) {
		return List.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, CuratorFramework.class));
	}

}
