package io.github.zklock.cli;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.AuthInfo;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ClientX509Util;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.jspecify.annotations.Nullable;

import io.github.zklock.LockUnavailableException;
import io.github.zklock.zookeeper.LockSessions;
import io.github.zklock.zookeeper.ZooKeeperLockClient;
import io.github.zklock.zookeeper.ZooKeeperLockInspector;

/**
 * A connection to the servers, with what works on it.
 */
final class LockConnection implements AutoCloseable {

	private static final int PAUSE_MILLIS = 200;

	private static final int LOOK_MILLIS = 10;

	private final ConnectionSettings settings;

	private final CuratorFramework curator;

	private final LockSessions sessions;

	private final ZooKeeperLockClient client;

	private final ZooKeeperLockInspector inspector;

	private LockConnection(ConnectionSettings settings, CuratorFramework curator, LockSessions sessions) {
		this.settings = settings;
		this.curator = curator;
		this.sessions = sessions;
		this.client = ZooKeeperLockClient.builder(sessions).build();
		this.inspector = new ZooKeeperLockInspector(this.client, () -> connection(settings),
				settings.sessionTimeout().multipliedBy(4));
	}

	/**
	 * Connects.
	 * @param settings where to, and as whom
	 * @param creates whether nodes are to be created
	 * @return the connection, connected
	 * @throws LockUnavailableException if no server answers
	 * @throws IllegalArgumentException if there can be no locks below the root
	 * @throws InterruptedException if interrupted
	 */
	static LockConnection open(ConnectionSettings settings, boolean creates) throws InterruptedException {
		CuratorFramework curator = connection(settings);
		try {
			curator.start();
			if (!isConnected(curator, settings.connectionTimeout())) {
				throw new LockUnavailableException("No ZooKeeper server of '%s' answered within %d ms"
					.formatted(settings.connectString(), settings.connectionTimeout().toMillis()));
			}
			List<ACL> acl = creates ? aclOfRoot(curator, settings) : Ids.OPEN_ACL_UNSAFE;
			return new LockConnection(settings, curator, sessions(curator, settings, acl, creates));
		}
		catch (Throwable ex) {
			curator.close();
			throw ex;
		}
	}

	// To wait itself Curator looks at the wall clock, which may be set back meanwhile
	private static boolean isConnected(CuratorFramework curator, Duration timeout) throws InterruptedException {
		long began = System.nanoTime();
		while (!curator.blockUntilConnected(0, TimeUnit.MILLISECONDS)) {
			if (System.nanoTime() - began >= timeout.toNanos()) {
				return false;
			}
			TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
		}
		return true;
	}

	// Only what is held needs a session that is long enough
	private static LockSessions sessions(CuratorFramework curator, ConnectionSettings settings, List<ACL> acl,
			boolean creates) {
		LockSessions.Builder builder = LockSessions.builder(curator)
			.root(settings.root())
			.keyPrefix(settings.keyPrefix())
			.nestedKeys(settings.nestedKeys())
			.aclProvider(new OneAcl(acl))
			.application("zk-lock-cli");
		if (creates) {
			builder.askedSessionTimeout(settings.sessionTimeout());
		}
		return builder.build();
	}

	private static CuratorFramework connection(ConnectionSettings settings) {
		CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
			.connectString(settings.connectString())
			.sessionTimeoutMs(ConnectionSettings.millis("session-timeout", settings.sessionTimeout()))
			.connectionTimeoutMs(ConnectionSettings.millis("connection-timeout", settings.connectionTimeout()))
			.retryPolicy(new RetryOneTime(PAUSE_MILLIS))
			.ensembleTracker(false)
			.zkClientConfig(clientConfig(settings));
		List<AuthInfo> auth = settings.auth();
		if (!auth.isEmpty()) {
			builder.authorization(auth);
		}
		return builder.build();
	}

	static ZKClientConfig clientConfig(ConnectionSettings settings) {
		ZKClientConfig config = new ZKClientConfig();
		if (!settings.isSecure()) {
			return config;
		}
		config.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
		config.setProperty(ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, "org.apache.zookeeper.ClientCnxnSocketNetty");
		try (ClientX509Util names = new ClientX509Util()) {
			store(config, settings.keystore(), names.getSslKeystoreLocationProperty(),
					names.getSslKeystorePasswdProperty(), names.getSslKeystorePasswdPathProperty(),
					names.getSslKeystoreTypeProperty());
			store(config, settings.truststore(), names.getSslTruststoreLocationProperty(),
					names.getSslTruststorePasswdProperty(), names.getSslTruststorePasswdPathProperty(),
					names.getSslTruststoreTypeProperty());
			TlsBundle bundle = settings.bundle();
			if (bundle != null) {
				set(config, names.getSslProtocolProperty(), bundle.protocol());
				set(config, names.getSslEnabledProtocolsProperty(), bundle.enabledProtocols());
				set(config, names.getCipherSuitesProperty(), bundle.ciphers());
			}
		}
		return config;
	}

	// The client takes an empty text for a property that is not set, and does not ask the
	// JVM's system properties then
	private static void store(ZKClientConfig config, ConnectionSettings.@Nullable Store store, String location,
			String password, String passwordPath, String type) {
		List.of(location, password, passwordPath, type).forEach((name) -> config.setProperty(name, ""));
		if (store == null) {
			return;
		}
		config.setProperty(location, store.file().toString());
		config.setProperty(password, store.password());
		set(config, type, store.type());
	}

	private static void set(ZKClientConfig config, String name, @Nullable String value) {
		if (value != null) {
			config.setProperty(name, value);
		}
	}

	// A key node that applications cannot use would be worse than none, so what is
	// created has the ACL of the root, as the applications' nodes have.
	private static List<ACL> aclOfRoot(CuratorFramework curator, ConnectionSettings settings)
			throws InterruptedException {
		List<ACL> acl;
		try {
			acl = curator.getACL().forPath(settings.root());
		}
		catch (KeeperException.NoNodeException ex) {
			return settings.auth().isEmpty() ? Ids.OPEN_ACL_UNSAFE : Ids.CREATOR_ALL_ACL;
		}
		catch (InterruptedException | IllegalArgumentException ex) {
			throw ex;
		}
		catch (Exception ex) {
			throw new LockUnavailableException("The ACL of '%s' could not be read: %s".formatted(settings.root(), ex),
					ex);
		}
		if (acl.stream().map(ACL::getId).anyMatch(LockConnection::isMasked)) {
			throw new LockUnavailableException(
					"The servers show the ACL of '%s' in full only to who may change it; use such credentials"
						.formatted(settings.root()));
		}
		return acl;
	}

	private static boolean isMasked(Id id) {
		return id.getScheme().equals("digest") && id.getId().endsWith(":x");
	}

	boolean exists(String path) throws InterruptedException {
		try {
			return this.curator.checkExists().forPath(path) != null;
		}
		catch (InterruptedException ex) {
			throw ex;
		}
		catch (Exception ex) {
			throw new LockUnavailableException("'%s' could not be read: %s".formatted(path, ex), ex);
		}
	}

	CuratorFramework curator() {
		return this.curator;
	}

	ZooKeeperLockClient client() {
		return this.client;
	}

	ZooKeeperLockInspector inspector() {
		return this.inspector;
	}

	String root() {
		return this.settings.root();
	}

	Duration timeout() {
		return this.settings.connectionTimeout();
	}

	@Override
	public void close() {
		this.inspector.close();
		this.client.close();
		this.sessions.close();
		this.curator.close();
	}

	private record OneAcl(List<ACL> acl) implements ACLProvider {

		@Override
		public List<ACL> getDefaultAcl() {
			return this.acl;
		}

		@Override
		public List<ACL> getAclForPath(String path) {
			return this.acl;
		}

	}

}
