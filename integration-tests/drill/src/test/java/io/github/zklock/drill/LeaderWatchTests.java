package io.github.zklock.drill;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import com.sun.net.httpserver.HttpServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class LeaderWatchTests {

	private final LeaderWatch watch = new LeaderWatch(List.of("one", "two"));

	private HttpServer instance;

	@BeforeEach
	void open() throws IOException {
		this.instance = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
	}

	@AfterEach
	void close() {
		this.instance.stop(0);
	}

	@Test
	void leadersThatFollowEachOtherAreNeverTwo() {
		see(0, 1L);
		see(1, null);
		see(0, 1L);
		see(1, 2L);
		see(0, null);
		see(1, 2L);
		see(0, 3L);
		see(1, null);
		assertThat(this.watch.terms()).isEqualTo(3);
		assertThat(this.watch.twoAtOnce()).isZero();
	}

	@Test
	void aLeaderBetweenTwoAnswersOfOneTermIsASecondOne() {
		see(0, 1L);
		see(1, 2L);
		assertThat(this.watch.twoAtOnce()).isZero();
		see(0, 1L);
		assertThat(this.watch.twoAtOnce()).isOne();
	}

	@Test
	void whatLedIsSeenUntilTheEnd() throws Exception {
		LeaderWatch one = asked("{\"leader\": true, \"term\": 7}");
		one.close();
		one.close();
		assertThat(one.terms()).isOne();
	}

	@Test
	void aWatchThatHasEndedEarlyFailsInTheEnd() throws Exception {
		LeaderWatch one = asked("{\"leader\": true, \"term\": \"the seventh\"}");
		assertThatIllegalStateException().isThrownBy(one::close).withMessageContaining("not watched to the end");
	}

	// Of an instance that always says the same
	private LeaderWatch asked(String answer) throws Exception {
		CountDownLatch answered = new CountDownLatch(1);
		this.instance.createContext("/leader", (exchange) -> {
			byte[] body = answer.getBytes(StandardCharsets.UTF_8);
			exchange.getResponseHeaders().add("Content-Type", "application/json");
			exchange.sendResponseHeaders(200, body.length);
			exchange.getResponseBody().write(body);
			exchange.close();
			answered.countDown();
		});
		this.instance.start();
		LeaderWatch one = new LeaderWatch(List.of("http://localhost:" + this.instance.getAddress().getPort())).start();
		assertThat(answered.await(1, TimeUnit.MINUTES)).isTrue();
		return one;
	}

	private void see(int instance, Long term) {
		this.watch.seen(instance, term);
	}

}
