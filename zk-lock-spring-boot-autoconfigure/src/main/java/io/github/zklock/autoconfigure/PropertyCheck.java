package io.github.zklock.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * Looks at each {@code zk-lock} property as it is written, when it has been bound.
 */
abstract class PropertyCheck implements ConfigurationPropertiesBindHandlerAdvisor {

	private static final ConfigurationPropertyName OURS = ConfigurationPropertyName.of("zk-lock");

	@Override
	public BindHandler apply(BindHandler bindHandler) {
		return new AbstractBindHandler(bindHandler) {

			@Override
			public @Nullable Object onSuccess(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
					Object result) {
				ConfigurationProperty property = context.getConfigurationProperty();
				if (property != null && OURS.isAncestorOf(name)) {
					check(name, String.valueOf(property.getValue()), result);
				}
				return super.onSuccess(name, target, context, result);
			}

		};
	}

	/**
	 * Checks a property.
	 * @param name its name
	 * @param written its value, with placeholders
	 * @param bound what became of it
	 * @throws ZkLockStartupException if it is refused
	 */
	abstract void check(ConfigurationPropertyName name, String written, Object bound);

}
