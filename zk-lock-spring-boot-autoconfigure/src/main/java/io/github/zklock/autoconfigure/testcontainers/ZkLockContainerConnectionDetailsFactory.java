package io.github.zklock.autoconfigure.testcontainers;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionDetailsFactory;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionSource;
import org.testcontainers.containers.Container;

import io.github.zklock.autoconfigure.ZkLockConnectionDetails;

/**
 * Makes connection details of a container with {@code @ServiceConnection} whose image, or
 * whose connection's name, is that of a ZooKeeper server.
 */
final class ZkLockContainerConnectionDetailsFactory
		extends ContainerConnectionDetailsFactory<Container<?>, ZkLockConnectionDetails> {

	private static final int PORT = 2181;

	ZkLockContainerConnectionDetailsFactory() {
		super(List.of("zookeeper", "bitnami/zookeeper", "bitnamilegacy/zookeeper", "confluentinc/cp-zookeeper"));
	}

	@Override
	protected ZkLockConnectionDetails getContainerConnectionDetails(ContainerConnectionSource<Container<?>> source) {
		return new ContainerDetails(source);
	}

	private static final class ContainerDetails extends ContainerConnectionDetails<Container<?>>
			implements ZkLockConnectionDetails {

		ContainerDetails(ContainerConnectionSource<Container<?>> source) {
			super(source);
		}

		@Override
		public String connectString() {
			return getContainer().getHost() + ":" + getContainer().getMappedPort(PORT);
		}

		@Override
		public @Nullable SslBundle sslBundle() {
			return getSslBundle();
		}

	}

}
