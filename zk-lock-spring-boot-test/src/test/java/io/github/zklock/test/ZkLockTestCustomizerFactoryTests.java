package io.github.zklock.test;

import java.util.List;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which tests get a server.
 */
class ZkLockTestCustomizerFactoryTests {

	private final ZkLockTestCustomizerFactory factory = new ZkLockTestCustomizerFactory();

	@ParameterizedTest
	@ValueSource(classes = { Annotated.class, Inheriting.class, ByInterface.class, ByInterface.Inner.class })
	void annotatedClassesInterfacesAndWhatIsNestedInThemDo(Class<?> test) {
		assertThat(this.factory.createContextCustomizer(test, List.of())).isNotNull();
	}

	@ParameterizedTest
	@ValueSource(classes = { Object.class, ZkLockTestCustomizerFactoryTests.class })
	void othersDoNot(Class<?> test) {
		assertThat(this.factory.createContextCustomizer(test, List.of())).isNull();
	}

	@AutoConfigureZkLockTest
	static class Annotated {

	}

	static class Inheriting extends Annotated {

	}

	@AutoConfigureZkLockTest
	interface IntegrationTest {

	}

	static class ByInterface implements IntegrationTest {

		@Nested
		class Inner {

		}

	}

}
