package io.github.zklock.internal.client;

import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(20)
class ClientCoreTests {

	@Test
	void anInterruptEndsTheWaitOfACloseAndIsKept() {
		Thread.currentThread().interrupt();
		ClientCore.awaitShortly(new CompletableFuture<>(), Actor.PATIENCE.toSeconds(), "never logged");
		assertThat(Thread.interrupted()).isTrue();
	}

}
