package io.github.zklock.test;

import java.lang.reflect.Proxy;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import io.github.zklock.LockClient;
import io.github.zklock.testing.ClassPathWithout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An application has none of the libraries that its tests have.
 */
class WithoutTestLibrariesTests {

	private static final ClassPathWithout CLASS_PATH = ClassPathWithout.jars("spring-test-", "spring-boot-test-",
			"junit-", "curator-test-");

	@Test
	void applicationStarts() throws Exception {
		assertThat(CLASS_PATH.call(InsideOfTheLoader.class, "start")).isEqualTo(true);
	}

	@Test
	void serverSaysWhatIsMissing() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> CLASS_PATH.call(InsideOfTheLoader.class, "startServer"))
			.withMessageContaining("needs org.apache.curator:curator-test on the class path");
	}

	/**
	 * What is tested. Each method is called in a class loader of its own.
	 */
	@SuppressWarnings("UnusedMethod") // by name
	static final class InsideOfTheLoader {

		private InsideOfTheLoader() {
		}

		static boolean start() {
			try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
				context.registerBean(LockClient.class,
						() -> (LockClient) Proxy.newProxyInstance(LockClient.class.getClassLoader(),
								new Class<?>[] { LockClient.class }, (proxy, method, arguments) -> null));
				context.register(AutoConfigured.class);
				context.refresh();
				return context.containsBean("zkLockAdvisor");
			}
		}

		static void startServer() {
			EmbeddedZooKeeper.start().close();
		}

	}

	@EnableAutoConfiguration
	static class AutoConfigured {

	}

}
