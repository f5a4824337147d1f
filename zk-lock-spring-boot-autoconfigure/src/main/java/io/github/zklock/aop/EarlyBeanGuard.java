package io.github.zklock.aop;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.autoproxy.AbstractAutoProxyCreator;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;
import org.springframework.beans.factory.support.AbstractBeanFactory;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.util.ClassUtils;

/**
 * Refuses beans with locked methods that are created so early that they have no proxy
 * that locks: their methods would run without the lock. Those that are created before
 * {@link LockedBeanValidator} is there, but have one, are shown to it when it is.
 */
final class EarlyBeanGuard implements BeanFactoryPostProcessor, SmartInitializingSingleton {

	private volatile @Nullable Guard guard;

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		if (beanFactory instanceof AbstractBeanFactory factory) {
			Guard guard = new Guard(factory);
			this.guard = guard;
			factory.addBeanPostProcessor(guard);
		}
	}

	@Override
	public void afterSingletonsInstantiated() {
		Guard guard = this.guard;
		if (guard != null) {
			guard.end();
		}
	}

	/**
	 * Is in front of all other post-processors, and behind those that make proxies as
	 * soon as those are there, so that it is shown the proxies.
	 */
	private static final class Guard implements SmartInstantiationAwareBeanPostProcessor,
			MergedBeanDefinitionPostProcessor, AopInfrastructureBean {

		private final AbstractBeanFactory beanFactory;

		private final LockedBeanCheck check;

		private final Queue<Unlocked> unlocked = new ConcurrentLinkedQueue<>();

		private final Queue<Consumer<LockedBeanValidator>> missed = new ConcurrentLinkedQueue<>();

		private final Set<String> exposed = ConcurrentHashMap.newKeySet();

		private volatile boolean ended;

		Guard(AbstractBeanFactory beanFactory) {
			this.beanFactory = beanFactory;
			this.check = new LockedBeanCheck(new LockedMethods(beanFactory));
		}

		@Override
		public @Nullable Object postProcessBeforeInstantiation(Class<?> beanClass, String beanName) {
			if (!this.ended) {
				moveBehindProxies();
				if (find(LockedBeanValidator.class).isPresent()) {
					end();
				}
			}
			return null;
		}

		// To add it again moves it to the end
		private void moveBehindProxies() {
			List<BeanPostProcessor> all = this.beanFactory.getBeanPostProcessors();
			if (all.subList(all.indexOf(this) + 1, all.size())
				.stream()
				.anyMatch(AbstractAutoProxyCreator.class::isInstance)) {
				this.beanFactory.addBeanPostProcessor(this);
			}
		}

		private <T> Optional<T> find(Class<T> type) {
			return this.beanFactory.getBeanPostProcessors()
				.stream()
				.filter(type::isInstance)
				.map(type::cast)
				.findFirst();
		}

		@Override
		public void postProcessMergedBeanDefinition(RootBeanDefinition beanDefinition, Class<?> beanType,
				String beanName) {
			if (!this.ended && !this.check.lockedMethods(ClassUtils.getUserClass(beanType)).isEmpty()) {
				this.missed
					.add((validator) -> validator.postProcessMergedBeanDefinition(beanDefinition, beanType, beanName));
			}
		}

		@Override
		public Object getEarlyBeanReference(Object bean, String beanName) {
			if (!this.ended && isShown(bean, beanName)) {
				this.exposed.add(beanName);
				this.missed.add((validator) -> validator.getEarlyBeanReference(bean, beanName));
			}
			return bean;
		}

		@Override
		public Object postProcessBeforeInitialization(Object bean, String beanName) {
			if (!this.ended && !this.check.lockedMethods(bean.getClass()).isEmpty()) {
				this.missed.add((validator) -> validator.postProcessBeforeInitialization(bean, beanName));
			}
			return bean;
		}

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			if (!this.ended && (this.exposed.remove(beanName) || isShown(bean, beanName))) {
				this.missed.add((validator) -> validator.postProcessAfterInitialization(bean, beanName));
			}
			return bean;
		}

		private boolean isShown(Object bean, String beanName) {
			Class<?> type = this.check.lockedClass(bean);
			Optional<Method> method = this.check.lockedMethods(type).stream().findFirst();
			method.map((locked) -> new Unlocked(new LockSite(locked, type), beanName)).ifPresent((one) -> {
				if (find(AbstractAutoProxyCreator.class).isEmpty()) {
					throw one.invalid("a BeanPostProcessor or something else");
				}
				if (LockedBeanCheck.isUnlocked(bean)) {
					this.unlocked.add(one);
				}
			});
			return method.isPresent();
		}

		// What it throws may be caught: then the next bean is refused
		void end() {
			find(LockedBeanValidator.class)
				.ifPresent((validator) -> this.missed.forEach((callback) -> callback.accept(validator)));
			for (Unlocked one : this.unlocked) {
				String dependents = Arrays.stream(this.beanFactory.getDependentBeans(one.beanName()))
					.map("'%s'"::formatted)
					.collect(Collectors.joining(", "));
				throw one.invalid(dependents.isEmpty() ? "a BeanPostProcessor or something else" : dependents);
			}
			this.ended = true;
			this.missed.clear();
		}

	}

	/**
	 * A bean that has no proxy that locks.
	 *
	 * @param site a locked method of it
	 * @param beanName its name
	 */
	private record Unlocked(LockSite site, String beanName) {

		InvalidLockDefinitionException invalid(String cause) {
			return this.site.invalid(
					"bean '%s' is created before Spring makes proxies that lock, because it is needed early by %s"
						.formatted(this.beanName, cause),
					"Break that dependency: make the @Bean method of the early bean static, let a FactoryBean declare what it makes, or inject an ObjectProvider or a @Lazy bean there.");
		}

	}

}
