package io.github.zklock.internal.session;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import io.github.zklock.internal.concurrent.StepFailures;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a session does when a server cuts its time-out.
 */
class SessionTimeoutTests extends AppenderBase<ILoggingEvent> {

	private static final long SESSION = TimeUnit.SECONDS.toNanos(6);

	private final HandPlayedZooKeeper zooKeeper = HandPlayedZooKeeper.HANDLE;

	private final Logger log = (Logger) LoggerFactory.getLogger(SessionTimeoutCheck.class);

	private final List<Boolean> locked = new ArrayList<>();

	private final StepFailures failures = new StepFailures();

	private boolean logFails;

	private SessionTimeout timeout;

	@BeforeEach
	void listen() {
		this.zooKeeper.reset();
		this.timeout = new SessionTimeout(this.zooKeeper, this.failures);
		start();
		this.log.addAppender(this);
	}

	@AfterEach
	void stopListening() {
		this.log.detachAppender(this);
		this.zooKeeper.reset();
	}

	@Override
	protected void append(ILoggingEvent event) {
		this.locked.add(Thread.holdsLock(this.timeout));
		if (this.logFails) {
			throw new NoClassDefFoundError("planted");
		}
	}

	@Test
	void theCutIsNotedOnceAndLoggedWithoutItsMonitor() {
		Lease lease = new Lease(() -> 0, SESSION, 0);
		assertThat(this.timeout.isCut(lease)).isFalse();
		this.zooKeeper.cutSessionTimeout();
		assertThat(this.timeout.isCut(lease)).isTrue();
		assertThat(this.timeout.isCut(lease)).isFalse();
		assertThat(this.timeout.nanos()).isEqualTo(SESSION / 2);
		assertThat(lease.sessionNanos()).isEqualTo(SESSION / 2);
		assertThat(this.locked).containsExactly(false);
	}

	@Test
	void oneThatIsRaisedBeyondWhatIsGoodForALeaseIsLogged() {
		this.zooKeeper.cutSessionTimeout();
		assertThat(this.timeout.isCut(new Lease(() -> 0, SESSION, 0))).isTrue();
		this.zooKeeper.reset();
		this.timeout.checkRaised(new SessionTimeoutCheck(Duration.ofSeconds(6))::refusal);
		assertThat(this.locked).hasSize(1);
		this.timeout.checkRaised(new SessionTimeoutCheck(Duration.ofSeconds(5))::refusal);
		assertThat(this.locked).hasSize(2);
		assertThat(this.timeout.nanos()).as("of the lease").isEqualTo(SESSION / 2);
	}

	@Test
	void whatToAskForIsWrittenAlikeInEachLocale() {
		Locale before = Locale.getDefault();
		Locale.setDefault(Locale.forLanguageTag("ar-EG"));
		try {
			assertThat(new SessionTimeoutCheck(Duration.ofSeconds(1)).refusal(Duration.ofSeconds(2)))
				.contains("from 1000 ms to 2000 ms", "by default 5000 ms", "ask for 2000 ms");
		}
		finally {
			Locale.setDefault(before);
		}
	}

	@Test
	void itIsNotedAlsoWhereItCannotBeLogged() {
		Lease lease = new Lease(() -> 0, SESSION, 0);
		this.zooKeeper.cutSessionTimeout();
		this.logFails = true;
		assertThat(this.timeout.isCut(lease)).isTrue();
		assertThat(lease.sessionNanos()).isEqualTo(SESSION / 2);
		assertThat(this.failures.count()).isOne();
	}

}
