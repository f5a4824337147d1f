package io.github.zklock.aop;

import org.springframework.aop.framework.autoproxy.AbstractAutoProxyCreator;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanFactory;

/**
 * Refuses beans with locked methods that are created before Spring can make proxies,
 * because something early depends on them: their methods would run without the lock.
 */
final class EarlyBeanGuard implements BeanFactoryPostProcessor {

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		if (beanFactory instanceof AbstractBeanFactory factory) {
			factory.addBeanPostProcessor(new Guard(factory));
		}
	}

	private static final class Guard implements BeanPostProcessor {

		private final AbstractBeanFactory beanFactory;

		private final LockedBeanCheck check;

		private volatile boolean proxies;

		Guard(AbstractBeanFactory beanFactory) {
			this.beanFactory = beanFactory;
			this.check = new LockedBeanCheck(new LockedMethods(beanFactory));
		}

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			if (!canProxy()) {
				Class<?> type = this.check.lockedClass(bean);
				this.check.lockedMethods(type).stream().findFirst().ifPresent((method) -> {
					throw new LockSite(method, type).invalid(
							"bean '%s' is created before Spring makes proxies, because a BeanPostProcessor or something else early depends on it"
								.formatted(beanName),
							"Break that dependency: make the @Bean method of the early bean static, or inject an ObjectProvider or a @Lazy bean there.");
				});
			}
			return bean;
		}

		private boolean canProxy() {
			if (!this.proxies) {
				this.proxies = this.beanFactory.getBeanPostProcessors()
					.stream()
					.anyMatch(AbstractAutoProxyCreator.class::isInstance);
			}
			return this.proxies;
		}

	}

}
