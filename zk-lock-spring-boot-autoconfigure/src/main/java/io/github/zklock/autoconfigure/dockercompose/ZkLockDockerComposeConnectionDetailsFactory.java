package io.github.zklock.autoconfigure.dockercompose;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionDetailsFactory;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;
import org.springframework.boot.ssl.SslBundle;

import io.github.zklock.autoconfigure.ZkLockConnectionDetails;

/**
 * Makes connection details of a service whose image is that of a ZooKeeper server, or
 * that has the label which says so.
 */
final class ZkLockDockerComposeConnectionDetailsFactory
		extends DockerComposeConnectionDetailsFactory<ZkLockConnectionDetails> {

	private static final String[] IMAGES = { "zookeeper", "bitnami/zookeeper", "bitnamilegacy/zookeeper",
			"confluentinc/cp-zookeeper" };

	private static final int PORT = 2181;

	ZkLockDockerComposeConnectionDetailsFactory() {
		super(IMAGES);
	}

	@Override
	protected ZkLockConnectionDetails getDockerComposeConnectionDetails(DockerComposeConnectionSource source) {
		return new ServiceDetails(source.getRunningService());
	}

	private static final class ServiceDetails extends DockerComposeConnectionDetails
			implements ZkLockConnectionDetails {

		private final String connectString;

		private final @Nullable SslBundle sslBundle;

		ServiceDetails(RunningService service) {
			super(service);
			this.connectString = service.host() + ":" + service.ports().get(PORT);
			this.sslBundle = getSslBundle(service);
		}

		@Override
		public String connectString() {
			return this.connectString;
		}

		@Override
		public @Nullable SslBundle sslBundle() {
			return this.sslBundle;
		}

	}

}
