package io.github.zklock.test;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
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
		return isAnnotated(testClass) ? new ZkLockTestCustomizer() : null;
	}

	private static boolean isAnnotated(Class<?> testClass) {
		if (MergedAnnotations.from(testClass, SearchStrategy.SUPERCLASS).isPresent(AutoConfigureZkLockTest.class)) {
			return true;
		}
		return TestContextAnnotationUtils.searchEnclosingClass(testClass) && isAnnotated(testClass.getEnclosingClass());
	}

}
