package io.github.zklock.autoconfigure;

import java.time.Duration;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;

import io.github.zklock.zookeeper.CuratorBlueprint;

/**
 * The connections that the properties and the customizers describe.
 *
 * @param builder knows all of it
 */
record ConfiguredBlueprint(CuratorFrameworkFactory.Builder builder) implements CuratorBlueprint {

	@Override
	public CuratorFramework build() {
		return this.builder.build();
	}

	Duration sessionTimeout() {
		return Duration.ofMillis(this.builder.getSessionTimeoutMs());
	}

}
