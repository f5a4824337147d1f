package io.github.zklock.shedlock;

import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.test.support.AbstractExtensibleLockProviderIntegrationTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

import io.github.zklock.LockClient;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.test.LockTester;
import io.github.zklock.test.ZkLockExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What ShedLock asks of every provider.
 */
@Tag("slow")
@ExtendWith(ZkLockExtension.class)
class ShedLockContractTests extends AbstractExtensibleLockProviderIntegrationTest {

	private final ZkLockProvider provider;

	private final LockTester tester;

	ShedLockContractTests(LockClient client, LockTester tester) {
		this.provider = new ZkLockProvider(client);
		this.tester = tester;
	}

	@Override
	protected ExtensibleLockProvider getLockProvider() {
		return this.provider;
	}

	@Override
	protected void assertUnlocked(String name) {
		await().ignoreException(LockUnavailableException.class).until(() -> this.tester.isFree(name));
	}

	@Override
	protected void assertLocked(String name) {
		assertThat(this.tester.isFree(name)).isFalse();
	}

}
