package io.github.zklock.zookeeper;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.LockClient;
import io.github.zklock.fixture.ZooKeeperFixture;

/**
 * Two instances of a shop on a real server, and the inspector of the first one.
 */
abstract class InspectedShop {

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	LockClient a;

	LockClient b;

	ZooKeeperLockInspector inspector;

	@BeforeEach
	void open() {
		this.a = this.zk.client().with((builder) -> builder.application("shop").instance("shop-1")).open();
		this.b = this.zk.client().with((builder) -> builder.application("shop").instance("shop-2")).open();
		this.inspector = this.zk.inspector(this.a);
	}

	@AfterEach
	void close() {
		this.inspector.close();
	}

}
