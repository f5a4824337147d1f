package io.github.zklock.aop;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockContext;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What the attributes mode, timeout, strategy, maxHold and condition promise, and what a
 * running method knows of its lock.
 */
class DistributedLockRequestTests {

	private final LockedBeans beans = LockedBeans.of(Map.of("wait", "3s", "by", "fair", "feature", "false"),
			Requests.class);

	private final Requests requests = this.beans.get(Requests.class);

	@AfterEach
	void closeContext() {
		this.beans.close();
	}

	private LockRequest last() {
		return this.beans.client().lastRequest();
	}

	@Test
	void withoutAttributesTheClientDecides() {
		this.requests.defaults();
		assertThat(last().timeout()).isNull();
		assertThat(last().strategy()).isNull();
		assertThat(last().maxHold()).isNull();
		assertThat(last().owner()).isNull();
		assertThat(last().mode()).isEqualTo(LockMode.EXCLUSIVE);
	}

	@Test
	void attributesBecomeTheRequest() {
		this.requests.all();
		assertThat(last().timeout()).isEqualTo(Duration.ofMillis(500));
		assertThat(last().strategy()).isEqualTo("naive");
		assertThat(last().maxHold()).isEqualTo(Duration.ofSeconds(90));
		assertThat(last().mode()).isEqualTo(LockMode.READ);
	}

	@Test
	void placeholdersAreResolved() {
		this.requests.placeholders();
		assertThat(last().timeout()).isEqualTo(Duration.ofSeconds(3));
		assertThat(last().strategy()).isEqualTo("fair");
		assertThat(last().maxHold()).isEqualTo(Duration.ofSeconds(5));
	}

	@Test
	void placeholderThatGivesNothingMeansTheDefault() {
		this.requests.emptyPlaceholder();
		assertThat(last().timeout()).isNull();
	}

	@Test
	void templateIsTheKeyAsItIsWritten() {
		this.requests.keyed("42");
		assertThat(last().keys()).containsExactly("order-42", "stock-3s");
		assertThat(last().template()).isEqualTo("order-#{#id}, stock-${wait}");
		this.requests.defaults();
		assertThat(last().template()).isEqualTo(last().keys().get(0));
	}

	@Test
	void aKeyThatIsTextMakesOneRequestForAllCalls() {
		this.requests.all();
		LockRequest first = last();
		this.requests.all();
		assertThat(last()).isSameAs(first);
		this.requests.keyed("42");
		LockRequest keyed = last();
		this.requests.keyed("42");
		assertThat(last()).isNotSameAs(keyed);
	}

	@Test
	void anExpressionThatIsEvaluatedOftenTakesOtherArgumentsToo() {
		for (int i = 0; i < 300; i++) {
			this.requests.named("order-" + i);
			assertThat(last().keys()).containsExactly("order-" + i);
		}
		this.requests.named(42);
		assertThat(last().keys()).containsExactly("42");
		assertThatIllegalArgumentException().isThrownBy(() -> this.requests.named(null)).withMessageContaining("#name");
	}

	@Test
	void aRepeatedAnnotationIsOneRequest() {
		this.requests.charge("gold", "42");
		assertThat(last().keys()).containsExactly("tariff-gold", "account-42", "ledger");
		assertThat(last().modes()).containsExactly(LockMode.READ, LockMode.WRITE, LockMode.WRITE);
		assertThat(last().timeout()).isEqualTo(Duration.ofSeconds(2));
		assertThat(last().template()).isEqualTo("tariff-#{#tariff}, account-#{#account}, ledger");
		assertThat(this.beans.client().requests()).hasSize(1);
	}

	@Test
	void aKeyOfTwoAnnotationsIsTakenOnceInTheStrongerMode() {
		this.requests.transfer("gold", "gold");
		assertThat(last().keys()).containsExactly("gold");
		assertThat(last().modes()).containsExactly(LockMode.WRITE);
		this.requests.transfer("gold", "silver");
		assertThat(last().modes()).containsExactly(LockMode.READ, LockMode.WRITE);
	}

	@Test
	void aRepeatedAnnotationOfTextIsOneRequestForAllCalls() {
		this.requests.closing();
		LockRequest first = last();
		assertThat(first.keys()).containsExactly("tariffs", "books");
		assertThat(first.modes()).containsExactly(LockMode.READ, LockMode.EXCLUSIVE);
		this.requests.closing();
		assertThat(last()).isSameAs(first);
	}

	@Test
	void permitsAreAskedForAsTheAnnotationSays() {
		this.requests.report("sales");
		assertThat(last().keys()).containsExactly("report-sales", "archive");
		assertThat(last().permits()).containsExactly(5, 0);
		assertThat(last().modes()).containsExactly(LockMode.EXCLUSIVE, LockMode.READ);
		this.requests.render();
		assertThat(last().permits()).containsExactly(2);
		this.requests.print();
		assertThat(last().keys()).containsExactly("printer", "paper");
		assertThat(last().permits()).containsExactly(3, 7);
	}

	@Test
	void anAnnotationOfOnesOwnMayHaveSeveralLocks() {
		this.requests.audit();
		assertThat(last().keys()).containsExactly("tariffs", "audit");
		assertThat(last().modes()).containsExactly(LockMode.READ, LockMode.EXCLUSIVE);
		assertThat(last().timeout()).isZero();
	}

	@Test
	void theConditionOfTheFirstAnnotationDecidesForAll() {
		this.requests.conditionalPair(false);
		assertThat(this.beans.client().requests()).isEmpty();
		this.requests.conditionalPair(true);
		assertThat(last().keys()).containsExactly("a", "b");
	}

	@Test
	void zeroTriesOnce() {
		this.requests.tryOnce();
		assertThat(last().timeout()).isZero();
	}

	@Test
	void conditionDecidesForEachCall() {
		assertThat(this.requests.conditional(5)).isEqualTo(5);
		assertThat(this.beans.client().requests()).isEmpty();
		assertThat(this.requests.conditional(11)).isEqualTo(11);
		assertThat(this.beans.client().requests()).hasSize(1);
	}

	@Test
	void conditionCanBeAProperty() {
		this.requests.feature();
		assertThat(this.beans.client().requests()).isEmpty();
	}

	@Test
	void keyIsNotEvaluatedWhenTheConditionIsFalse() {
		this.requests.conditionalKey(null);
		assertThat(this.beans.client().requests()).isEmpty();
	}

	@Test
	void conditionThatGivesNoBooleanIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.requests.badCondition(null))
			.withMessageContaining("condition")
			.withMessageContaining("badCondition(Boolean) gave null");
		assertThatIllegalArgumentException().isThrownBy(() -> this.requests.noBoolean("x"))
			.withMessageContaining("could not be evaluated");
	}

	@Test
	void runningMethodKnowsItsHandle() {
		assertThat(this.requests.token()).isEqualTo(this.beans.client().lastHandle().fencingToken());
		assertThatIllegalStateException().isThrownBy(LockContext::current);
	}

	@Test
	void lockIsReleasedAfterTheMethod() {
		this.requests.defaults();
		assertThat(this.beans.client().lastHandle().releases()).isOne();
		assertThat(this.beans.client().isHeld("defaults")).isFalse();
	}

	@Test
	void lockIsHeldWhileTheMethodRuns() {
		assertThat(this.requests.isHeld()).isTrue();
	}

	@Test
	void methodMayReleaseItsLockItself() {
		assertThat(this.requests.releasesItself()).isEqualTo("done");
	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(key = "tariffs", mode = LockMode.READ, timeout = "0")
	@DistributedLock(key = "audit")
	@interface Audited {

	}

	static class Requests {

		@DistributedLock(key = "tariff-#{#tariff}", mode = LockMode.READ, timeout = "2s")
		@DistributedLock(key = { "account-#{#account}", "ledger" }, mode = LockMode.WRITE)
		public void charge(String tariff, String account) {
		}

		@DistributedLock(key = "'report-' + #name", permits = 5)
		@DistributedLock(key = "archive", mode = LockMode.READ)
		public void report(String name) {
		}

		@DistributedLock(permits = 2)
		public void render() {
		}

		@DistributedLock(key = "printer", permits = 3)
		@DistributedLock(key = "paper", permits = 7)
		public void print() {
		}

		@DistributedLock(key = "#from", mode = LockMode.READ)
		@DistributedLock(key = "#to", mode = LockMode.WRITE)
		public void transfer(String from, String to) {
		}

		@DistributedLock(key = "tariffs", mode = LockMode.READ)
		@DistributedLock("books")
		public void closing() {
		}

		@Audited
		public void audit() {
		}

		@DistributedLock(key = "a", condition = "#locks")
		@DistributedLock(key = "b", mode = LockMode.READ)
		public void conditionalPair(boolean locks) {
		}

		@DistributedLock(key = "#name.toString()")
		public void named(Object name) {
			// Only its key matters.
		}

		@DistributedLock(key = { "order-#{#id}", "stock-${wait}" })
		public String keyed(String id) {
			return id;
		}

		@DistributedLock(key = "defaults")
		public void defaults() {
		}

		@DistributedLock(key = "all", mode = LockMode.READ, timeout = "500ms", strategy = "naive", maxHold = "PT1M30S")
		public void all() {
		}

		@DistributedLock(key = "p", timeout = "${wait}", strategy = "${by}", maxHold = "${hold:5s}")
		public void placeholders() {
		}

		@DistributedLock(key = "p", timeout = "${none:}")
		public void emptyPlaceholder() {
		}

		@DistributedLock(key = "p", timeout = "0")
		public void tryOnce() {
		}

		@DistributedLock(key = "c", condition = "#amount > 10")
		public int conditional(int amount) {
			return amount;
		}

		@DistributedLock(key = "c", condition = "${feature}")
		public void feature() {
		}

		@DistributedLock(key = "#id", condition = "#id != null")
		public void conditionalKey(String id) {
		}

		@DistributedLock(key = "c", condition = "#flag")
		public void badCondition(Boolean flag) {
		}

		@DistributedLock(key = "c", condition = "#text")
		public void noBoolean(String text) {
		}

		@DistributedLock(key = "t")
		public long token() {
			return LockContext.current().fencingToken();
		}

		@DistributedLock(key = "t")
		public boolean isHeld() {
			return LockContext.current().isHeld();
		}

		@DistributedLock(key = "t")
		public String releasesItself() {
			LockContext.current().release();
			return LockContext.current().isHeld() ? "still held" : "done";
		}

	}

}
