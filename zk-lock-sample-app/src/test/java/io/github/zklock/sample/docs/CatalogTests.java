package io.github.zklock.sample.docs;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.test.AutoConfigureZkLockTest;
import io.github.zklock.test.LockAssertions;
import io.github.zklock.test.LockTester;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The examples of docs/annotation.md do what it says.
 */
@SpringBootTest(webEnvironment = WebEnvironment.NONE)
@AutoConfigureZkLockTest
class CatalogTests {

	@Autowired
	private Catalog catalog;

	@Autowired
	private Stored stored;

	@Autowired
	private LockTester locks;

	@BeforeEach
	void clear() {
		this.stored.names.clear();
	}

	@Test
	void aPriceIsSetUnderItsLockAndLaterIfThatIsBusy() {
		this.stored.then = () -> LockAssertions.assertLocked("price-pen");
		assertThat(this.catalog.setPrice("pen", 120)).isEqualTo("done");
		this.stored.then = LockAssertions::assertNotLocked;
		try (LockHandle another = this.locks.hold("price-pen")) {
			assertThat(this.catalog.setPrice("pen", 130)).isEqualTo("queued");
			assertThat(another.isHeld()).isTrue();
		}
		assertThat(this.stored.names).containsExactly("pen", "pen later");
	}

	@Test
	void anImportIsSkippedWhileThereIsAnother() {
		try (LockHandle another = this.locks.hold("import-acme")) {
			this.catalog.importAll("acme", List.of("ink"));
			assertThat(another.isHeld()).isTrue();
		}
		assertThat(this.stored.names).isEmpty();
	}

	@Test
	void anImportEndsWithItsLock() {
		this.stored.then = () -> {
			LockAssertions.assertLocked("import-acme");
			this.stored.then = this.locks::expireSession;
		};
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.catalog.importAll("acme", List.of("ink", "paper", "glue")));
		assertThat(this.stored.names).containsExactly("ink", "paper");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		Stored stored() {
			return new Stored();
		}

		@Bean
		Catalog catalog(Stored stored) {
			return new Catalog(stored);
		}

	}

	/**
	 * Does something when an article is stored.
	 */
	static class Stored implements Catalog.Articles {

		private final List<String> names = new ArrayList<>();

		private Runnable then = LockAssertions::assertLocked;

		@Override
		public void setPrice(String name, int cents) {
			add(name, 0);
		}

		@Override
		public void queuePrice(String name, int cents) {
			add(name + " later", 0);
		}

		@Override
		public void add(String name, long token) {
			this.then.run();
			this.names.add(name);
		}

	}

}
