package io.github.zklock.internal.session;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.concurrent.Timer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What becomes of an answer that cannot be handled, of whatever request.
 */
class SessionRequestsTests {

	private final HandPlayedZooKeeper zooKeeper = HandPlayedZooKeeper.HANDLE;

	private final StepFailures failures = new StepFailures();

	private final Timer timer = new Timer("zk-lock-timer", this.failures);

	private final Queue<Code> answers = new ConcurrentLinkedQueue<>();

	@BeforeEach
	@AfterEach
	void reset() {
		this.zooKeeper.reset();
	}

	@AfterEach
	void stopTimer() {
		this.timer.stop();
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("requests")
	void i1AnAnswerThatCannotBeHandledIsTakenForOneThatSaysNothing(String name,
			BiConsumer<SessionRequests, Consumer<Code>> request, Consumer<HandPlayedZooKeeper> answer) {
		request.accept(newRequests(), (code) -> fail(code, 1));
		answer.accept(this.zooKeeper);
		assertThat(this.answers).containsExactly(Code.OK, Code.SYSTEMERROR);
		assertThat(this.failures.count()).isOne();
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("requests")
	void i1ThatIsTriedAgainAfterAPause(String name, BiConsumer<SessionRequests, Consumer<Code>> request,
			Consumer<HandPlayedZooKeeper> answer) {
		request.accept(newRequests(), (code) -> fail(code, 3));
		answer.accept(this.zooKeeper);
		await().until(() -> this.answers.size() == 4);
		assertThat(this.answers).containsExactly(Code.OK, Code.SYSTEMERROR, Code.SYSTEMERROR, Code.SYSTEMERROR);
		assertThat(this.failures.count()).isEqualTo(3);
	}

	static Stream<Arguments> requests() {
		return Stream.of(
				request("multi", (requests, then) -> requests.multi(List.of(), (code, results) -> then.accept(code)),
						(server) -> server.answerTransaction(Code.OK)),
				request("passQuorum", SessionRequests::passQuorum, (server) -> server.answerTransaction(Code.OK)),
				request("create",
						(requests, then) -> requests.create("/a", new byte[0], List.of(), CreateMode.EPHEMERAL,
								(code, path, stat) -> then.accept(code)),
						(server) -> server.answerCreate(Code.OK)),
				request("delete", (requests, then) -> requests.delete("/a", then),
						(server) -> server.answerDelete(Code.OK)),
				request("children",
						(requests, then) -> requests.children("/a", null, (code, names, stat) -> then.accept(code)),
						(server) -> server.answerChildren(Code.OK)),
				request("read",
						(requests, then) -> requests.read("/a", null, (code, content, stat) -> then.accept(code)),
						(server) -> server.answerRead(Code.OK)),
				request("exists", (requests, then) -> requests.exists("/a", (code, stat) -> then.accept(code)),
						(server) -> server.answerExists(Code.OK)));
	}

	@Test
	void i1EachOfSeveralListsIsHandledForItself() {
		newRequests().children(List.of("/a", "/b"),
				List.of((code, names, stat) -> fail(code, 1), (code, names, stat) -> this.answers.add(code)));
		this.zooKeeper.answerTransaction(Code.NOTREADONLY);
		assertThat(this.answers).containsExactly(Code.NOTREADONLY, Code.SYSTEMERROR, Code.NOTREADONLY);
	}

	@Test
	void anAnswerWithAnUnknownCodeSaysNothing() {
		SessionRequests requests = newRequests();
		requests.receipt(() -> this.answers.add(Code.OK));
		requests.passQuorum(this.answers::add);
		this.zooKeeper.answerUnknown(-999);
		assertThat(this.answers).containsExactly(Code.OK, Code.SYSTEMERROR);
		assertThat(this.failures.count()).isZero();
	}

	@Test
	void aTransactionPassesAlsoWhereTheRootMayNotBeRead() {
		newRequests().passQuorum(this.answers::add);
		this.zooKeeper.answerTransaction(Code.NOAUTH);
		assertThat(this.answers).containsExactly(Code.OK);
	}

	@Test
	void onlyALostConnectionShowsTheLeaseThatThereIsANextOne() {
		AtomicInteger lost = new AtomicInteger();
		SessionRequests requests = new LockSession(this.zooKeeper, () -> 0, this.timer, new SessionCounters(),
				(clock, sessionNanos, touchedSince) -> new Lease(clock, sessionNanos, touchedSince) {

					@Override
					public synchronized void lost(long sentAt) {
						lost.incrementAndGet();
					}

				}, null, (idle) -> {
				})
			.requests();
		for (Code code : List.of(Code.SYSTEMERROR, Code.OPERATIONTIMEOUT, Code.CONNECTIONLOSS)) {
			assertThat(lost).hasValue(0);
			requests.passQuorum(this.answers::add);
			this.zooKeeper.answerTransaction(code);
		}
		assertThat(lost).hasValue(1);
	}

	private static Arguments request(String name, BiConsumer<SessionRequests, Consumer<Code>> request,
			Consumer<HandPlayedZooKeeper> answer) {
		return Arguments.of(name, request, answer);
	}

	private SessionRequests newRequests() {
		return this.zooKeeper.session(() -> 0, this.timer).requests();
	}

	private void fail(Code code, int times) {
		this.answers.add(code);
		if (this.answers.size() <= times) {
			throw new NoClassDefFoundError("planted");
		}
	}

}
