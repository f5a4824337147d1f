package io.github.zklock.aop

import io.github.zklock.ClusterJob
import io.github.zklock.DistributedLock
import io.github.zklock.LockTimeoutException
import io.github.zklock.OnBusy
import io.github.zklock.testing.ClassPathWithout
import io.reactivex.rxjava3.core.Single
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.Job
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.reactor.awaitSingle
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Tag
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import org.junit.jupiter.api.extension.ExtendWith
import org.springframework.boot.test.system.CapturedOutput
import org.springframework.boot.test.system.OutputCaptureExtension
import reactor.core.publisher.Flux
import java.io.IOException
import java.util.Optional
import java.util.concurrent.CompletableFuture
import java.util.stream.Stream

/**
 * A suspending function is locked until it has ended, and no thread waits for its lock.
 */
@Tag("slow") // the Kotlin compiler is
@Timeout(30)
@ExtendWith(OutputCaptureExtension::class)
class SuspendingFunctionTests {

	private val beans = LockedBeans.of(Suspending::class.java)

	private val suspending = beans.get(Suspending::class.java)

	@AfterEach
	fun closeContext() {
		assertThat(isHeld()).`as`("the lock is left").isFalse()
		assertThat(beans.client().waiting()).`as`("nobody waits").isZero()
		beans.close()
	}

	private fun isHeld() = beans.client().isHeld("k")

	private suspend fun await(condition: () -> Boolean) {
		while (!condition()) {
			yield()
		}
	}

	@Test
	fun lockIsHeldUntilTheFunctionHasEnded() = runBlocking<Unit> {
		val work = CompletableDeferred<String>()
		val result = async { suspending.work("k", work) }
		await { suspending.runs == 1 }
		assertThat(isHeld()).isTrue()
		work.complete("done")
		assertThat(result.await()).isEqualTo("done")
		assertThat(isHeld()).isFalse()
	}

	@Test
	fun functionRunsWhenTheLockIsHeld() = runBlocking<Unit> {
		val other = beans.client().holdByAnother("k")
		val result = async { suspending.work("k", CompletableDeferred("done")) }
		await { beans.client().waiting() == 1 }
		assertThat(suspending.runs).isZero()
		other.release()
		assertThat(result.await()).isEqualTo("done")
		assertThat(suspending.runs).isOne()
	}

	@Test
	fun functionThatFailsReleasesTheLock() = runBlocking<Unit> {
		val work = CompletableDeferred<String>()
		work.completeExceptionally(IllegalStateException("broken"))
		assertThatThrownBy { runBlocking { suspending.work("k", work) } }.hasMessageContaining("broken")
		assertThat(beans.client().lastHandle().releases()).isOne()
	}

	@Test
	fun cancellingTheCallerReleasesTheLock() = runBlocking<Unit> {
		val result = async { suspending.work("k", CompletableDeferred()) }
		await { suspending.runs == 1 }
		result.cancelAndJoin()
		await { !isHeld() }
	}

	@Test
	fun cancellingTheCallerWhileItWaitsGivesUp() = runBlocking<Unit> {
		val other = beans.client().holdByAnother("k")
		val result = async { suspending.work("k", CompletableDeferred("done")) }
		await { beans.client().waiting() == 1 }
		result.cancelAndJoin()
		await { beans.client().waiting() == 0 }
		other.release()
		assertThat(suspending.runs).isZero()
	}

	@Test
	fun functionThatCallsAnotherWithTheSameKeyEntersAgain() = runBlocking<Unit> {
		assertThat(suspending.nested("k", beans.get(Suspending::class.java))).isEqualTo("inner")
	}

	@Test
	fun functionHasItsHandle() = runBlocking<Unit> {
		assertThat(suspending.token("k")).isPositive()
	}

	@Test
	fun flowIsLockedWhileItIsCollected() = runBlocking<Unit> {
		assertThat(suspending.several("k") { isHeld() }.toList()).containsExactly(true, true)
	}

	@Test
	fun busyFunctionThatIsSkippedReturnsNull() {
		val other = beans.client().holdByAnother("k")
		assertThat(runBlocking { suspending.skipped("k") }).isNull()
		other.release()
		assertThat(runBlocking { suspending.skipped("k") }).isEqualTo("ran")
	}

	@Test
	fun busyFunctionFailsAfterItsTimeout() {
		val other = beans.client().holdByAnother("k")
		assertThatThrownBy { runBlocking { suspending.impatient("k") } }
			.isInstanceOf(LockTimeoutException::class.java)
		other.release()
	}

	@Test
	fun busyFunctionWithoutAResultIsSkipped() = runBlocking<Unit> {
		val other = beans.client().holdByAnother("k")
		val skipped = async { suspending.job() }
		skipped.await()
		assertThat(suspending.runs).isZero()
		other.release()
		suspending.job()
		assertThat(suspending.runs).isOne()
	}

	@Test
	fun busyFunctionThatReturnsAFlowIsSkippedWithAnEmptyOne() = runBlocking<Unit> {
		val other = beans.client().holdByAnother("k")
		assertThat(suspending.skippedFlow { isHeld() }.toList()).isEmpty()
		other.release()
		assertThat(suspending.skippedFlow { isHeld() }.toList()).containsExactly(true, true)
	}

	@Test
	fun skippingNeedsATypeThatCanBeNull() {
		assertThat(LockedBeans.mistake(NeverNull::class.java)).hasMessageContaining("needs null to return")
	}

	@Test
	fun skippingNeedsATypeThatCanBeNullOrEmptyWithoutSuspensionToo() {
		assertThat(LockedBeans.mistake(NeverNullAtOnce::class.java)).hasMessageContaining("needs null to return")
		LockedBeans.of(NullAtOnce::class.java).use { locked ->
			val other = locked.client().holdByAnother("k")
			val bean = locked.get(NullAtOnce::class.java)
			bean.nothing()
			assertThat(bean.nullable()).isNull()
			assertThat(bean.optional()).isEmpty()
			assertThat(runBlocking { bean.several().toList() }).isEmpty()
			other.release()
			assertThat(bean.nullable()).isEqualTo("ran")
		}
	}

	@Test
	fun fallbackMayThrowWhereTheClassIsOfKotlin() {
		LockedBeans.of(ThrowingTexts::class.java).use { locked ->
			locked.client().holdByAnother("k")
			assertThatThrownBy { locked.get(ThrowingTexts::class.java).work("a") }.isInstanceOf(IOException::class.java)
		}
	}

	@Test
	fun fallbackMayNotWhereAnInterfaceOfKotlinIsProxied() {
		assertThat(LockedBeans.mistakeByInterface(ThrowingRun::class.java))
			.hasMessageContaining("callers would get an UndeclaredThrowableException")
	}

	@Test
	fun fallbackIsRefused() {
		assertThat(LockedBeans.mistake(WithFallback::class.java)).hasMessageContaining("suspending")
	}

	@Test
	fun resultsWhoseWorkGoesOnAreRefused() {
		assertThat(LockedBeans.mistake(ReturnsDeferred::class.java)).hasMessageContaining("returns a Deferred<String>")
		assertThat(LockedBeans.mistake(ReturnsJob::class.java)).hasMessageContaining("returns a Job")
		assertThat(LockedBeans.mistake(ReturnsFuture::class.java)).hasMessageContaining("returns a CompletableFuture")
		assertThat(LockedBeans.mistake(ReturnsSequence::class.java)).hasMessageContaining("returns a Sequence")
		assertThat(LockedBeans.mistake(ReturnsSingle::class.java)).hasMessageContaining("returns a Single<String>")
		assertThat(LockedBeans.mistake(ReturnsFlux::class.java)).hasMessageContaining("returns a Flux<String>")
		assertThat(LockedBeans.mistake(ReturnsDeferreds::class.java).remedy).startsWith("Lock a suspending function")
		assertThat(LockedBeans.mistake(ReturnsFutures::class.java).remedy).startsWith("Await them in the function")
	}

	@Test
	fun resultsThatTheFunctionDoesNotDeclareAreRefusedTooIfTheirWorkGoesOn() {
		val refused = mapOf(
			"CompletableDeferredImpl" to CompletableDeferred<String>(),
			"SafeFlow" to flow { emit("late") },
			"FluxJust" to Flux.just("late"),
			"Head" to Stream.of("late"),
		)
		for ((type, late) in refused) {
			assertThatThrownBy { runBlocking { suspending.anything<Any>("k") { late } } }
				.isInstanceOf(IllegalStateException::class.java)
				.hasMessageContaining("Suspending.anything(String, Function1, Continuation) returned a")
				.hasMessageContaining(type)
			assertThat(isHeld()).isFalse()
			assertThatThrownBy { runBlocking { suspending.something(late) } }
				.isInstanceOf(IllegalStateException::class.java)
		}
		assertThat(runBlocking { suspending.anything("k") { listOf("done") } }).containsExactly("done")
	}

	@Test
	fun futureThatTheFunctionDoesNotDeclareIsRefusedButItsWorkIsLocked() {
		val work = CompletableFuture<String>()
		assertThatThrownBy { runBlocking { suspending.anything<Any>("k") { work } } }
			.isInstanceOf(IllegalStateException::class.java)
			.hasMessageContaining("returned a CompletableFuture, whose work would run without the lock")
		assertThat(isHeld()).isTrue()
		work.complete("done")
		assertThat(isHeld()).isFalse()
	}

	@Test
	fun callsOnTheSameObjectAreWarnedOf(output: CapturedOutput) {
		LockedBeans.of(CallingItself::class.java).close()
		assertThat(output).contains("CallingItself.one(String, Continuation) is called by all on the same object")
			.contains("CallingItself.one(String, Continuation) is called by often on the same object")
	}

	@Test
	fun otherCallsOfSuspendingFunctionsAreNotWarnedOf(output: CapturedOutput) {
		LockedBeans.of(CallingAnother::class.java).close()
		assertThat(output).doesNotContain("on the same object")
	}

	@Test
	fun isRefusedWithoutTheBridgeToReactor() {
		val refusal = ClassPathWithout.jars("kotlinx-coroutines-reactor").call(InsideOfTheLoader::class.java, "refusal")
		assertThat(refusal).asString()
			.contains("with org.jetbrains.kotlinx:kotlinx-coroutines-reactor on the class path")
	}

	/** What is tested in a class loader of its own. */
	object InsideOfTheLoader {

		@JvmStatic
		fun refusal() = LockedBeans.mistake(NeverNull::class.java).message

	}

	open class Suspending {

		@Volatile
		open var runs = 0

		@DistributedLock(key = ["#{#key}"], timeout = "20s")
		open suspend fun work(key: String, work: CompletableDeferred<String>): String {
			runs++
			return work.await()
		}

		@DistributedLock(key = ["#{#key}"])
		open suspend fun nested(key: String, self: Suspending) = self.inner(key)

		@DistributedLock(key = ["#{#key}"], timeout = "0s")
		open suspend fun inner(key: String): String {
			yield()
			return "inner"
		}

		@DistributedLock(key = ["#{#key}"])
		open suspend fun token(key: String) = ReactiveLockContext.current().awaitSingle().fencingToken()

		@DistributedLock(key = ["#{#key}"])
		open fun several(key: String, look: () -> Boolean): Flow<Boolean> = flow {
			emit(look())
			yield()
			emit(look())
		}

		@DistributedLock(key = ["#{#key}"], timeout = "0s", onBusy = OnBusy.SKIP)
		open suspend fun skipped(key: String): String? = "ran"

		@ClusterJob("k")
		open suspend fun job() {
			yield()
			runs++
		}

		@ClusterJob("k")
		open suspend fun skippedFlow(look: () -> Boolean): Flow<Boolean> {
			yield()
			return flow {
				emit(look())
				yield()
				emit(look())
			}
		}

		@DistributedLock(key = ["#{#key}"], timeout = "0s")
		open suspend fun impatient(key: String) = "ran"

		@DistributedLock(key = ["#{#key}"])
		open suspend fun <T> anything(key: String, work: suspend () -> T): T {
			yield()
			return work()
		}

		@DistributedLock(key = ["k"])
		open suspend fun something(result: Any): Any = result

	}

	open class CallingItself {

		open suspend fun all() = one("a")

		open suspend fun often(keys: List<String>) {
			for (key in keys) {
				one(key)
				yield()
				one(key)
			}
		}

		@DistributedLock(key = ["#{#key}"])
		open suspend fun one(key: String) {
			yield()
		}

	}

	open class CallingAnother {

		open suspend fun all(other: CallingAnother) {
			other.one("a")
			yield()
			other.one("b")
		}

		open suspend fun ofAny(other: Any) {
			yield()
			(other as CallingAnother).one("a")
		}

		@DistributedLock(key = ["#{#key}"])
		open suspend fun one(key: String) {
			yield()
			if (key.isNotEmpty()) {
				one(key.drop(1))
			}
			yield()
		}

	}

	open class NeverNull {

		@DistributedLock(key = ["k"], onBusy = OnBusy.SKIP)
		open suspend fun work() = 1

	}

	open class NeverNullAtOnce {

		@DistributedLock(key = ["k"], timeout = "0s", onBusy = OnBusy.SKIP)
		open fun work() = "ran"

	}

	open class NullAtOnce {

		@DistributedLock(key = ["k"], timeout = "0s", onBusy = OnBusy.SKIP)
		open fun nothing() {
		}

		@DistributedLock(key = ["k"], timeout = "0s", onBusy = OnBusy.SKIP)
		open fun nullable(): String? = "ran"

		@DistributedLock(key = ["k"], timeout = "0s", onBusy = OnBusy.SKIP)
		open fun optional(): Optional<String> = Optional.of("ran")

		@DistributedLock(key = ["k"], timeout = "0s", onBusy = OnBusy.SKIP)
		open fun several(): Flow<String> = flowOf("ran")

	}

	open class ReturnsDeferred {

		@DistributedLock(key = ["k"])
		open suspend fun work(): Deferred<String> = CompletableDeferred("late")

	}

	open class ReturnsDeferreds {

		@DistributedLock(key = ["k"])
		open suspend fun work(): List<Deferred<String>> = listOf(CompletableDeferred("late"))

	}

	open class ReturnsFutures {

		@DistributedLock(key = ["k"])
		open suspend fun work(): List<CompletableFuture<String>> = listOf(CompletableFuture())

	}

	open class ReturnsJob {

		@DistributedLock(key = ["k"])
		open fun work(): Job = Job()

	}

	open class ReturnsFuture {

		@DistributedLock(key = ["k"])
		open suspend fun work(): CompletableFuture<String> = CompletableFuture()

	}

	open class ReturnsSingle {

		@DistributedLock(key = ["k"])
		open suspend fun work(): Single<String> = Single.just("late")

	}

	open class ReturnsFlux {

		@DistributedLock(key = ["k"])
		open suspend fun work(): Flux<String> = Flux.just("late")

	}

	open class ReturnsSequence {

		@DistributedLock(key = ["k"])
		open suspend fun work(): Sequence<String> = sequenceOf("late")

	}

	private open class ThrowingTexts : DistributedLockBusyTests.Generic<String>() {

		@Throws(IOException::class)
		fun busy(argument: String): String = throw IOException(argument)

	}

	interface Quiet {

		fun run()

	}

	private open class ThrowingRun : Quiet {

		@DistributedLock(key = ["k"], fallback = "busy")
		override fun run() {
		}

		@Throws(IOException::class)
		fun busy(): Unit = throw IOException()

	}

	open class WithFallback {

		@DistributedLock(key = ["k"], fallback = "instead")
		open suspend fun work() = "ran"

		fun instead(busy: LockTimeoutException) = "busy"

	}

}
