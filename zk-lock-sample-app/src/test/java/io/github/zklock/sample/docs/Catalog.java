package io.github.zklock.sample.docs;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;

import org.springframework.core.annotation.AliasFor;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockContext;
import io.github.zklock.LockHandle;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.OnBusy;

/**
 * What docs/annotation.md shows of attributes, of an annotation of one's own, and of work
 * that takes long.
 */
class Catalog {

	private final Articles articles;

	Catalog(Articles articles) {
		this.articles = articles;
	}

	// tag::fallback[]
	@DistributedLock(key = "price-#{#article}", timeout = "2s", fallback = "setLater")
	public String setPrice(String article, int cents) {
		this.articles.setPrice(article, cents);
		return "done";
	}

	public String setLater(String article, int cents, LockTimeoutException busy) {
		this.articles.queuePrice(article, cents);
		return "queued";
	}
	// end::fallback[]

	// tag::long[]
	@PerSupplier("import-#{#supplier}")
	public void importAll(String supplier, List<String> names) {
		LockHandle lock = LockContext.current();
		for (String name : names) {
			if (!lock.isHeld()) {
				return; // the caller gets a LockLostException
			}
			this.articles.add(name, lock.fencingToken());
		}
	}
	// end::long[]

	// tag::own[]
	/**
	 * One call at a time for each key; skipped if another one runs for two seconds more.
	 */
	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(timeout = "2s", onBusy = OnBusy.SKIP)
	@interface PerSupplier {

		@AliasFor(annotation = DistributedLock.class, attribute = "key")
		String[] value();

	}
	// end::own[]

	/**
	 * Where the articles are.
	 */
	interface Articles {

		void setPrice(String name, int cents);

		void queuePrice(String name, int cents);

		void add(String name, long token);

	}

}
