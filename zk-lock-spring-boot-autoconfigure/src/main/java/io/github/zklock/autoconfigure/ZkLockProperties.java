package io.github.zklock.autoconfigure;

import java.io.File;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

import io.github.zklock.aop.DistributedLockAdvisor;

/**
 * Configuration properties of zk-lock.
 *
 * @since 0.1.0
 */
@ConfigurationProperties(prefix = "zk-lock", ignoreUnknownFields = false)
public final class ZkLockProperties {

	/**
	 * Whether to configure zk-lock. When false there is no lock client, and methods with
	 * '@DistributedLock' run without any lock.
	 */
	private boolean enabled = true;

	/**
	 * Comma-separated 'host:port' pairs of the ZooKeeper servers, optionally followed by
	 * a path. Not used, with a warning if it names other servers, when there is a
	 * CuratorFramework bean.
	 */
	private @Nullable String connectString;

	/**
	 * Name of the CuratorFramework bean that has the connection. Needed where there are
	 * several and none is primary.
	 */
	private @Nullable String curatorBean;

	/**
	 * Time without a sign of life after which the servers end the session and free its
	 * locks. At least five ticks of the servers. Ignored when there is a CuratorFramework
	 * bean.
	 */
	private Duration sessionTimeout = Duration.ofSeconds(15);

	/**
	 * Time to wait for a connection, also at start-up.
	 */
	private Duration connectionTimeout = Duration.ofSeconds(10);

	/**
	 * Whether to fail at start-up when no server answers within the connection time-out,
	 * or none lets this client create locks. When false the application starts, and locks
	 * are unavailable until one does.
	 */
	private boolean failFast = true;

	/**
	 * Whether to take and release a throw-away lock as soon as a server answers, so that
	 * classes are loaded before the first lock that is wanted.
	 */
	private boolean warmUp = true;

	/**
	 * Path of the node that has the locks below it.
	 */
	private String root = "/zk-lock";

	/**
	 * Prefix of each key in ZooKeeper, and only there, so that applications below one
	 * root have keys of their own.
	 */
	private @Nullable String keyPrefix;

	/**
	 * Whether a / in a key makes a path below the root, as Curator's users have it,
	 * instead of being encoded. Keys may then have 32 segments, with their prefix.
	 */
	private boolean nestedKeys;

	/**
	 * Name of the lock strategy for requests that name none.
	 */
	private String strategy = "sequential";

	/**
	 * Longest time to queue, for requests that name no time-out.
	 */
	private Duration timeout = Duration.ofSeconds(10);

	/**
	 * Time after which a warning in the log says that a caller waits for a lock, and who
	 * holds it. Zero for never.
	 */
	private Duration slowWait = Duration.ofSeconds(5);

	/**
	 * Time in which there is at most one warning for a key, however many callers wait for
	 * it, and for at most 1000 keys. Zero for a warning for each call.
	 */
	private Duration slowWaitInterval = Duration.ofMinutes(1);

	/**
	 * Maximum number of threads that run continuations of futures, listeners and actions
	 * for a lost lock. When all are busy, further work waits for one of them.
	 */
	private int maxCallbackThreads = 256;

	/**
	 * Maximum number of events that wait behind a listener that does not return. Locks
	 * that are asked for while that many wait are not reported to any listener.
	 */
	private int maxWaitingEvents = 100_000;

	/**
	 * Maximum number of keys in one request; a larger one is refused. Their nodes are
	 * made by one transaction, so one that would be larger than 'jute.maxbuffer' is
	 * refused too.
	 */
	private int maxKeysPerRequest = 1000;

	/**
	 * Maximum number of locks that are kept although nobody in this JVM wants them.
	 * Beyond it the one that was used least recently is given up.
	 */
	private int maxRetained = 1000;

	/**
	 * Time to keep a lock that nobody in this JVM wants any more, as long as nobody else
	 * wants it either; to lock it again then needs no request. Zero retains none. For
	 * fair strategies, such as 'sequential'.
	 */
	private Duration retain = Duration.ofMillis(0);

	/**
	 * Name of the application in the lock nodes, for people who look at them.
	 * 'spring.application.name' unless set.
	 */
	private @Nullable String application;

	/**
	 * Name of this instance of the application in the lock nodes, for people who look at
	 * them. Application, host and process id unless set.
	 */
	private @Nullable String instance;

	/**
	 * Credentials that are shown to the servers on each connection: 'username' and
	 * 'password', and a 'scheme' if it is not 'digest'. Refused when there is a
	 * CuratorFramework bean.
	 */
	private final List<Auth> auth = new ArrayList<>();

	/**
	 * Who may touch the lock nodes: 'creator', 'open', or entries of the form
	 * 'scheme:id:permissions', with letters of 'cdrwa'. Only their creators if there are
	 * credentials, otherwise all. An ACLProvider bean wins.
	 */
	private List<String> acl = new ArrayList<>();

	private final Sasl sasl = new Sasl();

	/**
	 * Whether locks are kept in memory, without any server. They then exclude nobody
	 * outside this JVM: for tests, and for one instance in development.
	 */
	private boolean inMemory;

	private final Ssl ssl = new Ssl();

	/**
	 * Settings of the keys that match a pattern, in which '*' stands for any text:
	 * 'strategy', 'timeout', 'retain', 'max-held', 'handoff.max-count',
	 * 'handoff.min-duration' and 'handoff.max-duration', as in
	 * 'zk-lock.keys[orders/*].strategy'. The narrower pattern wins.
	 */
	private final Map<String, ZkLockKeyProperties> keys = new LinkedHashMap<>();

	private final Handoff handoff = new Handoff();

	private final Retry retry = new Retry();

	private final Aop aop = new Aop();

	private final Embedded embedded = new Embedded();

	private final Endpoint endpoint = new Endpoint();

	private final Web web = new Web();

	private final Leader leader = new Leader();

	/**
	 * Returns whether to configure zk-lock.
	 * @return false for nothing at all
	 */
	public boolean isEnabled() {
		return this.enabled;
	}

	/**
	 * Sets whether to configure zk-lock.
	 * @param enabled false for nothing at all
	 */
	public void setEnabled(boolean enabled) {
		this.enabled = enabled;
	}

	/**
	 * Returns where the servers are.
	 * @return the connect string, or null
	 */
	public @Nullable String getConnectString() {
		return this.connectString;
	}

	/**
	 * Sets where the servers are.
	 * @param connectString the connect string
	 */
	public void setConnectString(@Nullable String connectString) {
		this.connectString = connectString;
	}

	/**
	 * Returns which CuratorFramework bean has the connection.
	 * @return the bean's name, or null for the only one or the primary one
	 */
	public @Nullable String getCuratorBean() {
		return this.curatorBean;
	}

	/**
	 * Sets which CuratorFramework bean has the connection.
	 * @param curatorBean the bean's name, or null for the only one or the primary one
	 */
	public void setCuratorBean(@Nullable String curatorBean) {
		this.curatorBean = curatorBean;
	}

	/**
	 * Returns the session time-out.
	 * @return the session time-out
	 */
	public Duration getSessionTimeout() {
		return this.sessionTimeout;
	}

	/**
	 * Sets the session time-out.
	 * @param sessionTimeout a positive duration
	 */
	public void setSessionTimeout(Duration sessionTimeout) {
		this.sessionTimeout = sessionTimeout;
	}

	/**
	 * Returns the connection time-out.
	 * @return the connection time-out
	 */
	public Duration getConnectionTimeout() {
		return this.connectionTimeout;
	}

	/**
	 * Sets the connection time-out.
	 * @param connectionTimeout a positive duration
	 */
	public void setConnectionTimeout(Duration connectionTimeout) {
		this.connectionTimeout = connectionTimeout;
	}

	/**
	 * Returns whether locks are kept in memory.
	 * @return true for no server
	 */
	public boolean isInMemory() {
		return this.inMemory;
	}

	/**
	 * Sets whether locks are kept in memory.
	 * @param inMemory true for no server
	 */
	public void setInMemory(boolean inMemory) {
		this.inMemory = inMemory;
	}

	/**
	 * Returns whether to fail when no server answers at start-up.
	 * @return true to fail
	 */
	public boolean isFailFast() {
		return this.failFast;
	}

	/**
	 * Sets whether to fail when no server answers at start-up.
	 * @param failFast true to fail
	 */
	public void setFailFast(boolean failFast) {
		this.failFast = failFast;
	}

	/**
	 * Returns whether to take a throw-away lock first.
	 * @return true to take it
	 */
	public boolean isWarmUp() {
		return this.warmUp;
	}

	/**
	 * Sets whether to take a throw-away lock first.
	 * @param warmUp true to take it
	 */
	public void setWarmUp(boolean warmUp) {
		this.warmUp = warmUp;
	}

	/**
	 * Returns where the locks are.
	 * @return an absolute path
	 */
	public String getRoot() {
		return this.root;
	}

	/**
	 * Sets where the locks are.
	 * @param root an absolute path
	 */
	public void setRoot(String root) {
		this.root = root;
	}

	/**
	 * Returns what each key begins with in ZooKeeper.
	 * @return the prefix, or null for none
	 */
	public @Nullable String getKeyPrefix() {
		return this.keyPrefix;
	}

	/**
	 * Sets what each key begins with in ZooKeeper.
	 * @param keyPrefix the prefix, or null for none
	 */
	public void setKeyPrefix(@Nullable String keyPrefix) {
		this.keyPrefix = keyPrefix;
	}

	/**
	 * Returns whether a slash in a key makes a path.
	 * @return false if it is encoded
	 */
	public boolean isNestedKeys() {
		return this.nestedKeys;
	}

	/**
	 * Sets whether a slash in a key makes a path.
	 * @param nestedKeys false to encode it
	 */
	public void setNestedKeys(boolean nestedKeys) {
		this.nestedKeys = nestedKeys;
	}

	/**
	 * Returns the default strategy.
	 * @return its name
	 */
	public String getStrategy() {
		return this.strategy;
	}

	/**
	 * Sets the default strategy.
	 * @param strategy its name
	 */
	public void setStrategy(String strategy) {
		this.strategy = strategy;
	}

	/**
	 * Returns the default time-out.
	 * @return the time-out
	 */
	public Duration getTimeout() {
		return this.timeout;
	}

	/**
	 * Sets the default time-out.
	 * @param timeout the time-out; zero tries once
	 */
	public void setTimeout(Duration timeout) {
		this.timeout = timeout;
	}

	/**
	 * Returns after how long a wait is warned of.
	 * @return the time; zero for never
	 */
	public Duration getSlowWait() {
		return this.slowWait;
	}

	/**
	 * Sets after how long a wait is warned of.
	 * @param slowWait the time; zero for never
	 */
	public void setSlowWait(Duration slowWait) {
		this.slowWait = slowWait;
	}

	/**
	 * Returns in which time a key is warned of once.
	 * @return the time; zero for a warning for each call
	 */
	public Duration getSlowWaitInterval() {
		return this.slowWaitInterval;
	}

	/**
	 * Sets in which time a key is warned of once.
	 * @param slowWaitInterval the time; zero for a warning for each call
	 */
	public void setSlowWaitInterval(Duration slowWaitInterval) {
		this.slowWaitInterval = slowWaitInterval;
	}

	/**
	 * Returns how many threads there may be for callbacks.
	 * @return the number, at least one
	 */
	public int getMaxCallbackThreads() {
		return this.maxCallbackThreads;
	}

	/**
	 * Sets how many threads there may be for callbacks.
	 * @param maxCallbackThreads the number, at least one
	 */
	public void setMaxCallbackThreads(int maxCallbackThreads) {
		this.maxCallbackThreads = maxCallbackThreads;
	}

	/**
	 * Returns how many events may wait behind a listener.
	 * @return the number, at least one
	 */
	public int getMaxWaitingEvents() {
		return this.maxWaitingEvents;
	}

	/**
	 * Sets how many events may wait behind a listener.
	 * @param maxWaitingEvents the number, at least one
	 */
	public void setMaxWaitingEvents(int maxWaitingEvents) {
		this.maxWaitingEvents = maxWaitingEvents;
	}

	/**
	 * Returns how many keys a request may have.
	 * @return the number, at least one
	 */
	public int getMaxKeysPerRequest() {
		return this.maxKeysPerRequest;
	}

	/**
	 * Sets how many keys a request may have.
	 * @param maxKeysPerRequest the number, at least one
	 */
	public void setMaxKeysPerRequest(int maxKeysPerRequest) {
		this.maxKeysPerRequest = maxKeysPerRequest;
	}

	/**
	 * Returns how many locks are kept that nobody here wants.
	 * @return the number, at least one
	 */
	public int getMaxRetained() {
		return this.maxRetained;
	}

	/**
	 * Sets how many locks are kept that nobody here wants.
	 * @param maxRetained the number, at least one
	 */
	public void setMaxRetained(int maxRetained) {
		this.maxRetained = maxRetained;
	}

	/**
	 * Returns how long a lock is kept that nobody here wants.
	 * @return the time; zero for not at all
	 */
	public Duration getRetain() {
		return this.retain;
	}

	/**
	 * Sets how long a lock is kept that nobody here wants.
	 * @param retain the time; zero for not at all
	 */
	public void setRetain(Duration retain) {
		this.retain = retain;
	}

	/**
	 * Returns the name of the application.
	 * @return the name, or null
	 */
	public @Nullable String getApplication() {
		return this.application;
	}

	/**
	 * Sets the name of the application.
	 * @param application the name
	 */
	public void setApplication(@Nullable String application) {
		this.application = application;
	}

	/**
	 * Returns the name of this instance.
	 * @return the name, or null
	 */
	public @Nullable String getInstance() {
		return this.instance;
	}

	/**
	 * Sets the name of this instance.
	 * @param instance the name
	 */
	public void setInstance(@Nullable String instance) {
		this.instance = instance;
	}

	/**
	 * Returns what is shown to the servers.
	 * @return the credentials
	 */
	public List<Auth> getAuth() {
		return this.auth;
	}

	/**
	 * Returns who may touch the nodes.
	 * @return the entries, empty for the default
	 */
	public List<String> getAcl() {
		return this.acl;
	}

	/**
	 * Sets who may touch the nodes.
	 * @param acl the entries, empty for the default
	 */
	public void setAcl(List<String> acl) {
		this.acl = acl;
	}

	/**
	 * Returns how this client logs in by SASL.
	 * @return the properties
	 */
	public Sasl getSasl() {
		return this.sasl;
	}

	/**
	 * Returns how the connection is encrypted.
	 * @return the properties
	 */
	public Ssl getSsl() {
		return this.ssl;
	}

	/**
	 * Returns what holds for the keys that match a pattern.
	 * @return the properties by pattern
	 */
	public Map<String, ZkLockKeyProperties> getKeys() {
		return this.keys;
	}

	/**
	 * Returns how locks are handed off inside this JVM.
	 * @return the properties
	 */
	public Handoff getHandoff() {
		return this.handoff;
	}

	/**
	 * Returns how Curator retries.
	 * @return the properties
	 */
	public Retry getRetry() {
		return this.retry;
	}

	/**
	 * Returns how methods are locked.
	 * @return the properties
	 */
	public Aop getAop() {
		return this.aop;
	}

	/**
	 * Returns what the actuator's endpoint may do.
	 * @return the properties
	 */
	public Endpoint getEndpoint() {
		return this.endpoint;
	}

	/**
	 * Returns what a web application answers.
	 * @return the properties
	 */
	public Web getWeb() {
		return this.web;
	}

	/**
	 * Returns the leader elections.
	 * @return the properties
	 */
	public Leader getLeader() {
		return this.leader;
	}

	/**
	 * Returns the server inside this JVM.
	 * @return the properties
	 */
	public Embedded getEmbedded() {
		return this.embedded;
	}

	/**
	 * Credentials.
	 */
	public static final class Auth {

		/**
		 * Scheme of ZooKeeper's.
		 */
		private String scheme = "digest";

		/**
		 * Name that belongs to the password.
		 */
		private @Nullable String username;

		/**
		 * Secret of the scheme.
		 */
		private @Nullable String password;

		/**
		 * Returns the scheme.
		 * @return its name
		 */
		public String getScheme() {
			return this.scheme;
		}

		/**
		 * Sets the scheme.
		 * @param scheme its name
		 */
		public void setScheme(String scheme) {
			this.scheme = scheme;
		}

		/**
		 * Returns the name.
		 * @return the name, or null
		 */
		public @Nullable String getUsername() {
			return this.username;
		}

		/**
		 * Sets the name.
		 * @param username a name without a colon
		 */
		public void setUsername(@Nullable String username) {
			this.username = username;
		}

		/**
		 * Returns the secret.
		 * @return the secret, or null
		 */
		public @Nullable String getPassword() {
			return this.password;
		}

		/**
		 * Sets the secret.
		 * @param password the secret
		 */
		public void setPassword(@Nullable String password) {
			this.password = password;
		}

	}

	/**
	 * How this client logs in by SASL.
	 */
	public static final class Sasl {

		/**
		 * Name of the section in the JAAS configuration with which the client logs in.
		 * Refused when there is a CuratorFramework bean.
		 */
		private @Nullable String loginContext;

		/**
		 * Returns the section.
		 * @return its name, or null for no login
		 */
		public @Nullable String getLoginContext() {
			return this.loginContext;
		}

		/**
		 * Sets the section.
		 * @param loginContext its name
		 */
		public void setLoginContext(@Nullable String loginContext) {
			this.loginContext = loginContext;
		}

	}

	/**
	 * How the connection is encrypted.
	 */
	public static final class Ssl {

		/**
		 * Name of the SSL bundle with which the connection is encrypted. Without it there
		 * is no TLS. Refused when there is a CuratorFramework bean.
		 */
		private @Nullable String bundle;

		/**
		 * Returns the bundle.
		 * @return its name, or null for no TLS
		 */
		public @Nullable String getBundle() {
			return this.bundle;
		}

		/**
		 * Sets the bundle.
		 * @param bundle its name
		 */
		public void setBundle(@Nullable String bundle) {
			this.bundle = bundle;
		}

	}

	/**
	 * How callers of this JVM hand a lock off to each other, without a request. Beyond
	 * either bound they queue again behind others who wait for it.
	 */
	public static final class Handoff {

		/**
		 * Number of times that callers of this JVM hand a lock off to each other while
		 * others wait for it. Zero hands nothing off: the next caller queues behind all
		 * who wait.
		 */
		private int maxCount = 256;

		/**
		 * Longest time for which callers of this JVM hand a lock off to each other while
		 * others wait for it. Usually it is shorter: ten times as long as the servers
		 * take to answer a write, or until ten callers that already waited were served.
		 */
		private Duration maxDuration = Duration.ofMillis(100);

		/**
		 * Shortest time for which callers of this JVM may hand a lock off while others
		 * wait, unless 'max-duration' is shorter. If both are the same, it does not
		 * matter how long the servers take.
		 */
		private Duration minDuration = Duration.ofMillis(1);

		/**
		 * Returns how often a lock is handed off.
		 * @return the number; zero for never
		 */
		public int getMaxCount() {
			return this.maxCount;
		}

		/**
		 * Sets how often a lock is handed off.
		 * @param maxCount the number; zero for never
		 */
		public void setMaxCount(int maxCount) {
			this.maxCount = maxCount;
		}

		/**
		 * Returns for how long a lock is handed off.
		 * @return the time
		 */
		public Duration getMaxDuration() {
			return this.maxDuration;
		}

		/**
		 * Sets for how long a lock is handed off.
		 * @param maxDuration the time
		 */
		public void setMaxDuration(Duration maxDuration) {
			this.maxDuration = maxDuration;
		}

		/**
		 * Returns for how long a lock is handed off at least.
		 * @return the time
		 */
		public Duration getMinDuration() {
			return this.minDuration;
		}

		/**
		 * Sets for how long a lock is handed off at least.
		 * @param minDuration the time
		 */
		public void setMinDuration(Duration minDuration) {
			this.minDuration = minDuration;
		}

	}

	/**
	 * How Curator repeats what the connection failed. It does not lengthen the time-out
	 * of a lock.
	 */
	public static final class Retry {

		/**
		 * Pause before Curator's first retry. Later pauses are random; their upper bound
		 * about doubles with each retry.
		 */
		private Duration baseSleep = Duration.ofMillis(100);

		/**
		 * Longest pause between two retries.
		 */
		private Duration maxSleep = Duration.ofSeconds(2);

		/**
		 * Maximum number of Curator's retries, up to 29.
		 */
		private int maxRetries = 5;

		/**
		 * Returns the first pause.
		 * @return the pause
		 */
		public Duration getBaseSleep() {
			return this.baseSleep;
		}

		/**
		 * Sets the first pause.
		 * @param baseSleep a positive duration
		 */
		public void setBaseSleep(Duration baseSleep) {
			this.baseSleep = baseSleep;
		}

		/**
		 * Returns the longest pause.
		 * @return the pause
		 */
		public Duration getMaxSleep() {
			return this.maxSleep;
		}

		/**
		 * Sets the longest pause.
		 * @param maxSleep a positive duration
		 */
		public void setMaxSleep(Duration maxSleep) {
			this.maxSleep = maxSleep;
		}

		/**
		 * Returns the number of retries.
		 * @return the number
		 */
		public int getMaxRetries() {
			return this.maxRetries;
		}

		/**
		 * Sets the number of retries.
		 * @param maxRetries zero for none, 29 at most
		 */
		public void setMaxRetries(int maxRetries) {
			this.maxRetries = maxRetries;
		}

	}

	/**
	 * How methods are locked.
	 */
	public static final class Aop {

		/**
		 * Whether to lock methods with '@DistributedLock'. When false they run without
		 * any lock.
		 */
		private boolean enabled = true;

		/**
		 * Order of the lock among the other advice of a method; smaller is further
		 * outside. Must be smaller than that of transactions, so that the lock is
		 * released after the commit.
		 */
		private int order = DistributedLockAdvisor.DEFAULT_ORDER;

		/**
		 * Whether a locked method that is called inside an open transaction keeps its
		 * lock until that transaction has ended. When false the lock is released before
		 * the commit, and a warning says so, once for each method.
		 */
		private boolean releaseAfterCompletion;

		/**
		 * Returns whether to lock methods.
		 * @return false to run them without any lock
		 */
		public boolean isEnabled() {
			return this.enabled;
		}

		/**
		 * Sets whether to lock methods.
		 * @param enabled false to run them without any lock
		 */
		public void setEnabled(boolean enabled) {
			this.enabled = enabled;
		}

		/**
		 * Returns the order.
		 * @return the order
		 */
		public int getOrder() {
			return this.order;
		}

		/**
		 * Sets the order.
		 * @param order the order
		 */
		public void setOrder(int order) {
			this.order = order;
		}

		/**
		 * Returns whether a lock is kept until an open transaction has ended.
		 * @return true to keep it
		 */
		public boolean isReleaseAfterCompletion() {
			return this.releaseAfterCompletion;
		}

		/**
		 * Sets whether a lock is kept until an open transaction has ended.
		 * @param releaseAfterCompletion true to keep it
		 */
		public void setReleaseAfterCompletion(boolean releaseAfterCompletion) {
			this.releaseAfterCompletion = releaseAfterCompletion;
		}

	}

	/**
	 * The actuator's endpoint 'zklocks'.
	 */
	public static final class Endpoint {

		/**
		 * Whether the actuator's endpoint 'zklocks' has an operation that takes a lock
		 * away from its holder.
		 */
		private boolean forceRelease;

		/**
		 * Returns whether there is an operation that forces a release.
		 * @return true if there is
		 */
		public boolean isForceRelease() {
			return this.forceRelease;
		}

		/**
		 * Sets whether there is an operation that forces a release.
		 * @param forceRelease true if there is
		 */
		public void setForceRelease(boolean forceRelease) {
			this.forceRelease = forceRelease;
		}

	}

	/**
	 * What a web application answers, servlet or reactive.
	 */
	public static final class Web {

		/**
		 * Whether a lock that could not be acquired, or was lost, is answered with
		 * problem details: 423 with Retry-After when it was busy, 503 with Retry-After
		 * when ZooKeeper gave no answer, 500 when it was lost or asked for by mistake.
		 */
		private boolean problemDetails;

		/**
		 * Returns whether such exceptions are answered with problem details.
		 * @return true if they are
		 */
		public boolean isProblemDetails() {
			return this.problemDetails;
		}

		/**
		 * Sets whether such exceptions are answered with problem details.
		 * @param problemDetails true if they are
		 */
		public void setProblemDetails(boolean problemDetails) {
			this.problemDetails = problemDetails;
		}

	}

	/**
	 * A ZooKeeper server inside this JVM, for development and tests.
	 */
	public static final class Embedded {

		/**
		 * Whether to start a ZooKeeper server inside this JVM when there is no connect
		 * string and no CuratorFramework bean. For development and tests; needs
		 * 'io.github.zklock:zk-lock-embedded-server'.
		 */
		private boolean enabled;

		/**
		 * Port of the embedded server on the loopback address, or 0 for a free one.
		 */
		private int port;

		/**
		 * Directory of the embedded server's data, kept after its end. A temporary one
		 * unless set; fencing tokens then begin again at each start, and a store that has
		 * seen larger ones refuses them.
		 */
		private @Nullable File dataDirectory;

		/**
		 * Returns whether to start the server.
		 * @return true to start it
		 */
		public boolean isEnabled() {
			return this.enabled;
		}

		/**
		 * Sets whether to start the server.
		 * @param enabled true to start it
		 */
		public void setEnabled(boolean enabled) {
			this.enabled = enabled;
		}

		/**
		 * Returns the port.
		 * @return the port, or 0 for a free one
		 */
		public int getPort() {
			return this.port;
		}

		/**
		 * Sets the port.
		 * @param port the port, or 0 for a free one
		 */
		public void setPort(int port) {
			this.port = port;
		}

		/**
		 * Returns where the data is.
		 * @return the directory, or null for a temporary one
		 */
		public @Nullable File getDataDirectory() {
			return this.dataDirectory;
		}

		/**
		 * Sets where the data is.
		 * @param dataDirectory the directory, or null for a temporary one
		 */
		public void setDataDirectory(@Nullable File dataDirectory) {
			this.dataDirectory = dataDirectory;
		}

	}

	/**
	 * Leader elections.
	 */
	public static final class Leader {

		/**
		 * Names of the leader elections. Each is a 'LeaderElection' bean with its name as
		 * qualifier, and may be named by '@LeaderOnly'. Read when the application is
		 * built, if it runs ahead of time.
		 */
		private List<String> names = new ArrayList<>();

		/**
		 * Whether an instance yields, and is no candidate, while its liveness is BROKEN
		 * or its readiness is REFUSING_TRAFFIC.
		 */
		private boolean yieldWhenUnavailable;

		/**
		 * Returns the names of the elections.
		 * @return the names, none for no election
		 */
		public List<String> getNames() {
			return this.names;
		}

		/**
		 * Sets the names of the elections.
		 * @param names the names, none for no election
		 */
		public void setNames(List<String> names) {
			this.names = names;
		}

		/**
		 * Returns whether an instance yields while it is not available.
		 * @return true if it does
		 */
		public boolean isYieldWhenUnavailable() {
			return this.yieldWhenUnavailable;
		}

		/**
		 * Sets whether an instance yields while it is not available.
		 * @param yieldWhenUnavailable true if it does
		 */
		public void setYieldWhenUnavailable(boolean yieldWhenUnavailable) {
			this.yieldWhenUnavailable = yieldWhenUnavailable;
		}

	}

}
