package io.github.zklock.boot3;

import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.Status;

import io.github.zklock.LockSessionStatus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * What no server can be made to do at the right moment.
 */
class HealthOfTheDocumentationTests {

	@Test
	void aProblemThatIsCuredWhileItIsReportedIsReported() {
		LockSessionStatus session = mock(LockSessionStatus.class);
		given(session.state()).willReturn(LockSessionStatus.State.CONNECTED);
		given(session.problem()).willReturn("No lock can be acquired.", (String) null);
		Health health = new Boot3Application().zklockHealthIndicator(session).health();
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails()).containsEntry("problem", "No lock can be acquired.");
	}

}
