package io.github.zklock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.github.zklock.testing.EverythingLogged;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What the log of an outage says of host names, whatever the name servers of this machine
 * answer.
 */
@ExtendWith(OutputCaptureExtension.class)
class OutageReasonTests {

	private static final int PAUSE_MILLIS = 20;

	/** The outage has to end within it, also on a slow machine. */
	private static final int LONG_PAUSE_MILLIS = 1000;

	// Nothing asks it for anything but its connect string
	@AutoClose
	private final CuratorFramework curator = CuratorFrameworkFactory.newClient("zk1:2181,zk2:2181",
			new RetryOneTime(1));

	@AutoClose
	@SuppressWarnings("UnusedVariable") // it is open
	private final EverythingLogged logged = new EverythingLogged();

	private final AtomicInteger lookups = new AtomicInteger();

	// Of another class of tests
	@BeforeEach
	void noEarlierLookup() {
		await().until(() -> !isLookingUp());
	}

	@Test
	void aNameThatIsRefusedLateIsNamed(CapturedOutput output) {
		CountDownLatch never = new CountDownLatch(1);
		start((host) -> host.equals("zk1") || waits(never, 1000), false, PAUSE_MILLIS);
		await().until(() -> lines(output).size() == 2);
		assertThat(lines(output).get(1))
			.endsWith("Why ZooKeeper at zk1:2181,zk2:2181 may not answer: The host name 'zk2' does not resolve.");
	}

	@Test
	void aNameThatResolvesAtFirstIsNamedOnceWhenItDoesNotAnyMore(CapturedOutput output) {
		ConnectionLog log = start((host) -> this.lookups.incrementAndGet() <= 4, false, PAUSE_MILLIS);
		await().until(() -> lines(output).size() == 2);
		log.stateChanged(this.curator, ConnectionState.LOST);
		int before = this.lookups.get();
		await().during(Duration.ofMillis(50 * PAUSE_MILLIS)).until(() -> lines(output).size() == 2);
		assertThat(lines(output).get(1)).contains("The host name 'zk1' does not resolve.");
		assertThat(this.lookups).hasValue(before);
	}

	@Test
	void anotherOutageNamesTheHostAgain(CapturedOutput output) {
		ConnectionLog log = start((host) -> false, false, PAUSE_MILLIS);
		await().until(() -> lines(output).size() == 2);
		log.stateChanged(this.curator, ConnectionState.RECONNECTED);
		log.stateChanged(this.curator, ConnectionState.SUSPENDED);
		await().until(() -> lines(output).size() == 5);
		assertThat(lines(output).get(4)).contains("The host name 'zk1' does not resolve. The host name 'zk2' does not");
	}

	@Test
	void whatToCheckOfTlsIsSaidOnceAndTheHostWhenItIsKnown(CapturedOutput output) {
		start((host) -> this.lookups.incrementAndGet() <= 2, true, PAUSE_MILLIS);
		await().until(() -> lines(output).size() == 3);
		assertThat(lines(output).get(1)).contains("may not answer: The connection is to use TLS: check");
		assertThat(lines(output).get(2)).contains("may not answer: The host name 'zk1' does not resolve.")
			.doesNotContain("TLS");
	}

	@Test
	void nothingIsLookedUpOnceItIsClosed(CapturedOutput output) {
		ConnectionLog log = start((host) -> this.lookups.incrementAndGet() < 0, false, LONG_PAUSE_MILLIS);
		log.destroy();
		noLookup();
		assertThat(lines(output)).hasSize(1);
	}

	@Test
	void nothingIsLookedUpOnceAServerAnswersAgain(CapturedOutput output) {
		ConnectionLog log = start((host) -> this.lookups.incrementAndGet() < 0, false, LONG_PAUSE_MILLIS);
		log.stateChanged(this.curator, ConnectionState.RECONNECTED);
		log.stateChanged(this.curator, ConnectionState.RECONNECTED);
		noLookup();
		assertThat(lines(output)).hasSize(2);
	}

	// The listener may be running when it is removed
	@Test
	void aLossThatIsNotedOnceItIsClosedIsNoOutage(CapturedOutput output) {
		ConnectionLog log = start((host) -> false, false, LONG_PAUSE_MILLIS);
		log.stateChanged(this.curator, ConnectionState.RECONNECTED);
		log.destroy();
		log.stateChanged(this.curator, ConnectionState.LOST);
		assertThat(lines(output)).hasSize(2);
	}

	@Test
	@Timeout(20)
	void aStartDoesNotWaitForNameServersThatDoNotAnswer() {
		CountDownLatch over = new CountDownLatch(1);
		try {
			assertThat(StartupConnection.unresolved("slow:1,gone:2", 2000,
					(host) -> host.equals("slow") && waits(over, 60_000)))
				.isEqualTo(" The host name 'gone' does not resolve.");
		}
		finally {
			over.countDown();
		}
	}

	private ConnectionLog start(Predicate<String> resolves, boolean tls, int pause) {
		ConnectionLog log = new ConnectionLog(this.curator, "/zk-lock", null, tls, resolves, pause);
		log.stateChanged(this.curator, ConnectionState.SUSPENDED);
		return log;
	}

	private static boolean waits(CountDownLatch latch, int millis) {
		try {
			return latch.await(millis, TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	private void noLookup() {
		await().during(Duration.ofMillis(LONG_PAUSE_MILLIS + 250))
			.until(() -> this.lookups.get() == 0 && !isLookingUp());
	}

	private static boolean isLookingUp() {
		return Thread.getAllStackTraces().keySet().stream().anyMatch((one) -> one.getName().equals("zk-lock-lookup"));
	}

	private static List<String> lines(CapturedOutput output) {
		return output.getAll().lines().filter((line) -> line.contains("ConnectionLog")).toList();
	}

}
