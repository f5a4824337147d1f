package io.github.zklock.autoconfigure;

import java.util.LinkedHashSet;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.HierarchicalBeanFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

import io.github.zklock.LeaderElection;
import io.github.zklock.LockRequest;

/**
 * Defines a bean for each election that the properties name. Its name has a suffix,
 * because an application is likely to have a bean with the name of the election itself;
 * that one is the bean's qualifier. A bean of the user's with that name wins.
 */
final class LeaderElectionRegistrar implements ImportBeanDefinitionRegistrar {

	static final String NAMES = "zk-lock.leader.names";

	private static final String SUFFIX = "LeaderElection";

	private final Environment environment;

	LeaderElectionRegistrar(Environment environment) {
		this.environment = environment;
	}

	@Override
	public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
		List<String> names = Binder.get(this.environment).bind(NAMES, Bindable.listOf(String.class)).orElse(List.of());
		for (String name : new LinkedHashSet<>(names)) {
			if (name.isBlank()) {
				throw new InvalidConfigurationPropertyValueException(NAMES, names, "The name of an election is blank");
			}
			if (LeaderElection.key(name).length() > LockRequest.MAX_KEY_LENGTH) {
				throw new InvalidConfigurationPropertyValueException(NAMES, name,
						"With %s it must have at most %d characters.".formatted(LeaderElection.key(""),
								LockRequest.MAX_KEY_LENGTH));
			}
			String bean = name + SUFFIX;
			if (!registry.containsBeanDefinition(bean) && !isInParent(registry, bean)) {
				registry.registerBeanDefinition(bean, definition(name));
			}
		}
	}

	// A parent context with these elections has the lock client, too
	private static boolean isInParent(BeanDefinitionRegistry registry, String bean) {
		@Nullable BeanFactory parent = (registry instanceof HierarchicalBeanFactory factory) ? factory.getParentBeanFactory()
				: null;
		return parent != null && parent.containsBean(bean);
	}

	private static RootBeanDefinition definition(String name) {
		RootBeanDefinition definition = new RootBeanDefinition(PublishedTerms.class);
		definition.setFactoryMethodName("election");
		definition.setTargetType(LeaderElection.class);
		definition.setAutowireMode(AbstractBeanDefinition.AUTOWIRE_CONSTRUCTOR);
		definition.getConstructorArgumentValues().addIndexedArgumentValue(0, name);
		definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, name));
		definition.setDestroyMethodName("close");
		return definition;
	}

}
