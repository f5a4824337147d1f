package io.github.zklock.test;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.TestContextAnnotationUtils;

/**
 * Finds out which tests want a server.
 */
final class ZkLockTestCustomizerFactory implements ContextCustomizerFactory {

	@Override
	public @Nullable ContextCustomizer createContextCustomizer(Class<?> testClass,
			List<ContextConfigurationAttributes> attributes) {
		return TestContextAnnotationUtils.hasAnnotation(testClass, AutoConfigureZkLockTest.class)
				? new ZkLockTestCustomizer() : null;
	}

}
