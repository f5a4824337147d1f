package io.github.zklock.autoconfigure;

import java.time.Duration;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;

import io.github.zklock.zookeeper.CuratorBlueprint;

/**
 * The connections that the properties and the customizers describe.
 *
 * @param builder knows all of it
 * @param tls has the files that each new connection reads
 */
record ConfiguredBlueprint(CuratorFrameworkFactory.Builder builder, ClientTls tls) implements CuratorBlueprint {

	@Override
	public CuratorFramework build() {
		CuratorFramework curator = this.builder.build();
		if (this.tls.isUsed()) {
			// A handle that is there connects again by itself
			curator.getConnectionStateListenable().addListener((same, state) -> {
				if (!state.isConnected()) {
					this.tls.restore();
				}
			});
		}
		return curator;
	}

	Duration sessionTimeout() {
		return Duration.ofMillis(this.builder.getSessionTimeoutMs());
	}

}
