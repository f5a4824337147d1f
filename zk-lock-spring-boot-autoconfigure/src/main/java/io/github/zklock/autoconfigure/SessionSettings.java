package io.github.zklock.autoconfigure;

import java.util.HashSet;
import java.util.List;
import java.util.stream.Collectors;

import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;
import org.springframework.util.StringUtils;

import io.github.zklock.zookeeper.LockSessions;

/**
 * Refuses settings that sessions of the user's do not have: their locks would be
 * elsewhere than those of an instance that has the settings alone, or open to all.
 */
final class SessionSettings {

	private static final String REMOVE = " Or remove %s, or the bean so that one is made from the zk-lock properties.";

	private SessionSettings() {
	}

	/**
	 * Compares sessions with the properties, as far as these are set.
	 * @param sessions those of the user
	 * @param properties the properties
	 * @param details where our own connection leads, or null if they do not use it
	 * @throws ZkLockStartupException if a property would be ignored
	 */
	static void check(LockSessions sessions, ZkLockProperties properties, @Nullable ZkLockConnectionDetails details) {
		checkKeyNodes(sessions, properties);
		checkName("application", properties.getApplication(), sessions.application());
		checkName("instance", properties.getInstance(), sessions.instance());
		checkAcl(sessions.rootAcl(), properties,
				details != null && ConnectionConfiguration.isAuthenticated(properties, details));
	}

	private static void checkKeyNodes(LockSessions sessions, ZkLockProperties properties) {
		String root = properties.getRoot();
		String prefix = (properties.getKeyPrefix() != null) ? properties.getKeyPrefix() : "";
		boolean nested = properties.isNestedKeys();
		boolean set = !root.equals(new ZkLockProperties().getRoot()) || !prefix.isEmpty() || nested;
		if (set && !sessions.areAt(root, prefix, nested)) {
			throw ignored("zk-lock.root, zk-lock.key-prefix or zk-lock.nested-keys is set",
					"has the key a/b at " + sessions.keyNode("a/b"),
					".root(\"%s\").keyPrefix(\"%s\").nestedKeys(%s)".formatted(root, prefix, nested), "the properties");
		}
	}

	private static void checkName(String setting, @Nullable String configured, String actual) {
		if (StringUtils.hasText(configured) && !configured.equals(actual)) {
			throw ignored("zk-lock.%s is set".formatted(setting), "has the name '%s'".formatted(actual),
					".%s(\"%s\")".formatted(setting, configured), "the property");
		}
	}

	private static void checkAcl(List<ACL> actual, ZkLockProperties properties, boolean authenticated) {
		List<String> configured = properties.getAcl();
		if (configured.isEmpty()) {
			if (authenticated && ConfiguredAcl.isOpen(actual)) {
				throw new ZkLockStartupException(
						"There are credentials for ZooKeeper, but the locks of the LockSessions bean that there is are open to all.",
						"Say who may touch them by LockSessions.builder(…).aclProvider(…) where that bean is made. If they are to be open, set zk-lock.acl=open.");
			}
			return;
		}
		List<ACL> expected = new ConfiguredAcl(configured, authenticated).getDefaultAcl();
		if (!new HashSet<>(expected).equals(new HashSet<>(actual))) {
			String given = actual.stream()
				.map((entry) -> AllowedAccess.name(entry.getId()) + ":" + ZKUtil.getPermString(entry.getPerms()))
				.collect(Collectors.joining(", "));
			throw ignored("zk-lock.acl is set", "gives the root of the locks the ACL " + given, ".aclProvider(…)",
					"the property");
		}
	}

	private static ZkLockStartupException ignored(String set, String actual, String method, String remove) {
		return new ZkLockStartupException("%s, but the LockSessions bean that there is %s.".formatted(set, actual),
				"Say the same by LockSessions.builder(…)%s where that bean is made.".formatted(method)
						+ REMOVE.formatted(remove));
	}

}
