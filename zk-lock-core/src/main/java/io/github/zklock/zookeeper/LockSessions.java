package io.github.zklock.zookeeper;

import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.framework.imps.DefaultACLProvider;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.LockSessionStatus;
import io.github.zklock.internal.contender.KeyShards;
import io.github.zklock.internal.node.ClientIdentity;
import io.github.zklock.internal.session.Lease;
import io.github.zklock.internal.session.LockPaths;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.SessionSource;

/**
 * The sessions that a lock client's contenders live in, one after the other, on one
 * {@link CuratorFramework}; with where the locks are and who we are.
 *
 * @since 0.1.0
 */
public final class LockSessions implements LockSessionStatus, AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(LockSessions.class);

	private final CuratorFramework curator;

	private final SessionSource source;

	private final KeyShards shards;

	private final String application;

	private final String instance;

	private final Supplier<@Nullable String> problem;

	private LockSessions(Builder builder) {
		this.curator = builder.curator;
		LockPaths paths = paths(builder.root, builder.keyPrefix, builder.nestedKeys, builder.acls);
		String host = hostName();
		long pid = ProcessHandle.current().pid();
		this.application = builder.application;
		this.instance = (builder.instance != null) ? builder.instance : this.application + "@" + host + ":" + pid;
		ClientIdentity identity = new ClientIdentity(this.application, this.instance, host, pid, builder.wallClock);
		this.source = new SessionSource(this.curator, paths, identity, builder.clock, builder.leases,
				builder.askedSessionTimeout);
		this.shards = new KeyShards(builder.clock, this.source.failures());
		this.problem = builder.problem;
	}

	private LockPaths paths(String root, String keyPrefix, boolean nestedKeys, ACLProvider acls) {
		return LockPaths.of(Objects.requireNonNullElse(this.curator.getNamespace(), ""), root, keyPrefix, nestedKeys,
				acls);
	}

	private static String hostName() {
		try {
			return InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException ex) {
			log.debug("This host has no name", ex);
			return ManagementFactory.getRuntimeMXBean().getName();
		}
	}

	/**
	 * Starts to build on a Curator client.
	 * @param curator a started client; it is not closed by us
	 * @return the builder
	 */
	public static Builder builder(CuratorFramework curator) {
		return new Builder(curator);
	}

	/**
	 * Returns whether these are sessions of a Curator client.
	 * @param client a client
	 * @return whether they were built on that one, or on a view of it with another
	 * namespace
	 */
	public boolean uses(CuratorFramework client) {
		return this.curator.getZookeeperClient() == client.getZookeeperClient();
	}

	Supplier<CuratorFramework> connections() {
		return CuratorBlueprint.like(this.curator)::build;
	}

	SessionSource source() {
		return this.source;
	}

	/**
	 * Returns where a key is in ZooKeeper.
	 * @param key the key, without prefix
	 * @return the full path of its node, with Curator's namespace
	 */
	public String keyNode(String key) {
		return this.source.paths().keyNode(key);
	}

	/**
	 * Returns whether the locks are where the settings of a builder put them. If not,
	 * clients of these sessions and clients that have the settings do not exclude each
	 * other.
	 * @param root the root, within Curator's namespace if it has one
	 * @param keyPrefix what each key begins with in ZooKeeper
	 * @param nestedKeys whether a {@code /} in a key makes a path
	 * @return whether all three are those of these sessions
	 * @throws IllegalArgumentException if no sessions can have them
	 */
	public boolean areAt(String root, String keyPrefix, boolean nestedKeys) {
		LockPaths own = this.source.paths();
		return own.equals(paths(root, keyPrefix, nestedKeys, own.acls()));
	}

	/**
	 * Returns who may touch the root of the locks.
	 * @return the ACL that its node is made with
	 */
	public List<ACL> rootAcl() {
		return this.source.paths().aclOfRoot();
	}

	/**
	 * Returns the name of the application.
	 * @return what the lock nodes say
	 */
	public String application() {
		return this.application;
	}

	/**
	 * Returns the name of this instance of the application.
	 * @return what the lock nodes say
	 */
	public String instance() {
		return this.instance;
	}

	KeyShards shards() {
		return this.shards;
	}

	@Override
	public String servers() {
		return this.source.servers();
	}

	@Override
	public State state() {
		LockSession session = this.source.current();
		if (session == null || session.isOver() || this.source.isLost()) {
			return State.LOST;
		}
		return session.isConnected() ? State.CONNECTED : State.SUSPENDED;
	}

	@Override
	public long sessionId() {
		LockSession session = this.source.current();
		return (session != null) ? session.id() : 0;
	}

	@Override
	public Duration sessionTimeout() {
		LockSession session = this.source.current();
		return (session != null) ? session.timeout() : Duration.ZERO;
	}

	@Override
	public @Nullable String problem() {
		return this.problem.get();
	}

	@Override
	public long watchEvents() {
		return this.source.counters().watchEvents().sum();
	}

	@Override
	public long leftoversRemoved() {
		return this.source.counters().orphans().sum();
	}

	@Override
	public long engineFailures() {
		return this.source.failures().count();
	}

	/**
	 * Lets go of Curator. Contenders that have not left yet go on until they have; this
	 * waits for them for up to 2 s.
	 */
	@Override
	public void close() {
		this.source.close();
	}

	/**
	 * Builds sessions.
	 */
	public static final class Builder {

		private final CuratorFramework curator;

		private String root = "/zk-lock";

		private String keyPrefix = "";

		private boolean nestedKeys;

		private ACLProvider acls = new DefaultACLProvider();

		private String application = "application";

		private @Nullable String instance;

		private @Nullable Duration askedSessionTimeout;

		private Supplier<@Nullable String> problem = () -> null;

		private InstantSource wallClock = InstantSource.system();

		private LongSupplier clock = System::nanoTime;

		private Lease.Factory leases = Lease::new;

		private Builder(CuratorFramework curator) {
			this.curator = curator;
		}

		/**
		 * Sets below which node the locks are, within Curator's namespace if it has one.
		 * @param root an absolute path; {@code /zk-lock} unless set
		 * @return this builder
		 */
		public Builder root(String root) {
			this.root = root;
			return this;
		}

		/**
		 * Sets what each key begins with in ZooKeeper, so that applications below one
		 * root have keys of their own. Requests, events, messages and the inspector have
		 * the keys without it; the inspector sees the keys of this prefix only.
		 * @param keyPrefix well-formed text of up to 128 characters as a node's name has
		 * it, such as {@code billing:}; empty unless set
		 * @return this builder
		 * @throws IllegalArgumentException if it is longer, has a lone surrogate, or
		 * cannot be a path although keys are nested
		 */
		public Builder keyPrefix(String keyPrefix) {
			LockPaths.checkPrefix(keyPrefix, this.nestedKeys);
			this.keyPrefix = keyPrefix;
			return this;
		}

		/**
		 * Sets whether a {@code /} in a key makes a path: key {@code orders/42} is the
		 * node {@code <root>/orders/42}, as a path of Curator's recipes, and not
		 * {@code <root>/orders%2F42}. Then keys with an empty segment, with one that
		 * would be taken for a waiter's node, or with more than 32, those of the prefix
		 * included, are refused. Clients that differ in this do not exclude each other
		 * for keys with a {@code /}.
		 * @param nestedKeys whether it does; false unless set
		 * @return this builder
		 */
		public Builder nestedKeys(boolean nestedKeys) {
			this.nestedKeys = nestedKeys;
			return this;
		}

		/**
		 * Sets who may touch the locks. The provider is asked for the root, for the nodes
		 * above it and for the node of each key, by their full paths; with nested keys
		 * also for the nodes on the way to that. What is below a key node has its ACL, as
		 * have the marks of a job and the nodes by which holders are asked; the parents
		 * of these have the root's. It is asked on threads of the engine, which serve
		 * other keys too: it must answer at once.
		 * @param aclProvider gives the ACLs; open to all unless set
		 * @return this builder
		 */
		public Builder aclProvider(ACLProvider aclProvider) {
			this.acls = aclProvider;
			return this;
		}

		/**
		 * Names the application, for people who look at the nodes.
		 * @param application any text
		 * @return this builder
		 */
		public Builder application(String application) {
			this.application = application;
			return this;
		}

		/**
		 * Names this instance of the application, for people who look at the nodes.
		 * @param instance any text; application, host and process id unless set
		 * @return this builder
		 */
		public Builder instance(String instance) {
			this.instance = instance;
			return this;
		}

		/**
		 * Says which session time-out Curator asks the servers for. They keep it between
		 * their {@code minSessionTimeout} and {@code maxSessionTimeout}. If they cut it,
		 * a warning says so. If they raise it, it is too short for their ticks, unless
		 * they are configured otherwise, and no lock can be acquired: each call gets a
		 * {@link io.github.zklock.LockUnavailableException} that says what to change.
		 * @param asked the time-out; nothing is compared unless set
		 * @return this builder
		 * @throws IllegalArgumentException if it is shorter than 1 ms, or longer than the
		 * 24 days that a session can have
		 */
		public Builder askedSessionTimeout(Duration asked) {
			if (asked.compareTo(Duration.ofMillis(1)) < 0
					|| asked.compareTo(Duration.ofMillis(Integer.MAX_VALUE)) > 0) {
				throw new IllegalArgumentException(
						"The session time-out must be between 1 ms and 24 days, but is " + asked);
			}
			this.askedSessionTimeout = asked;
			return this;
		}

		/**
		 * Says what {@link LockSessionStatus#problem()} returns.
		 * @param problem knows why no lock can be acquired although a server answers, or
		 * returns null; must not block. Nothing is known unless set
		 * @return this builder
		 */
		public Builder problem(Supplier<@Nullable String> problem) {
			this.problem = problem;
			return this;
		}

		Builder clock(LongSupplier nanoTime) {
			this.clock = nanoTime;
			return this;
		}

		Builder leases(Lease.Factory factory) {
			this.leases = factory;
			return this;
		}

		/**
		 * Builds the sessions and takes the first one as soon as Curator is connected.
		 * @return the sessions, to be closed after all clients that use them
		 * @throws IllegalStateException if Curator was not started
		 * @throws IllegalArgumentException if the root is not a legal path of its own, or
		 * keys cannot begin with the prefix
		 */
		public LockSessions build() {
			if (this.curator.getState() != CuratorFrameworkState.STARTED) {
				throw new IllegalStateException(
						"The CuratorFramework must be started, but is " + this.curator.getState());
			}
			LockSessions sessions = new LockSessions(this);
			sessions.source.start();
			return sessions;
		}

	}

}
