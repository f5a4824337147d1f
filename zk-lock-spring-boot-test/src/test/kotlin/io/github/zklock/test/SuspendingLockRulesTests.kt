package io.github.zklock.test

import com.tngtech.archunit.core.importer.ClassFileImporter
import io.github.zklock.DistributedLock
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Tag
import org.junit.jupiter.api.Test

/**
 * The rule for calls on the same object knows what Kotlin's compiler makes of suspending
 * functions.
 */
@Tag("slow") // the Kotlin compiler is
class SuspendingLockRulesTests {

	private fun violations(type: Class<*>): List<String> {
		return LockRules.noSelfInvocation().evaluate(all).failureReport.details.filter { type.name in it }
	}

	@Test
	fun functionThatSuspendsDoesNotCallItself() {
		assertThat(violations(Open::class.java)).isEmpty()
		assertThat(violations(ByInterface::class.java)).isEmpty()
		assertThat(violations(OnClass::class.java)).isEmpty()
	}

	@Test
	fun callsOfSuspendingFunctionsOfTheSameObjectAreFound() {
		assertThat(violations(Calling::class.java)).singleElement().asString().contains("Calling.all", "Calling.one(")
		assertThat(violations(InLambda::class.java)).singleElement().asString().contains("InLambda.one(")
	}

	open class Open {

		@DistributedLock(key = ["k"])
		open suspend fun work(step: suspend () -> Unit) {
			step()
			step()
		}

		@DistributedLock(key = ["k"])
		open suspend fun atOnce() = 1

		@DistributedLock(key = ["k"])
		open suspend fun again(times: Int, step: suspend () -> Unit) {
			step()
			again(times - 1, step)
			step()
		}

	}

	interface Api {

		suspend fun work(step: suspend () -> Unit)

	}

	class ByInterface : Api {

		@DistributedLock(key = ["k"])
		override suspend fun work(step: suspend () -> Unit) {
			step()
			step()
		}

	}

	@DistributedLock(key = ["k"])
	open class OnClass {

		open suspend fun work(step: suspend () -> Unit) {
			step()
			step()
		}

	}

	open class Calling {

		open suspend fun all(step: suspend () -> Unit) {
			step()
			one(step)
			step()
		}

		@DistributedLock(key = ["k"])
		open suspend fun one(step: suspend () -> Unit) {
			step()
			step()
		}

	}

	open class InLambda {

		open suspend fun all(step: suspend (suspend () -> Unit) -> Unit) {
			step { one() }
		}

		@DistributedLock(key = ["k"])
		open suspend fun one() {
		}

	}

	private companion object {

		// Reading the package takes nearly all of the time
		private val all by lazy { ClassFileImporter().importPackagesOf(SuspendingLockRulesTests::class.java) }

	}

}
