package io.github.zklock.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import org.apache.curator.framework.api.ACLProvider;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Who may touch the locks: one ACL for all of their nodes.
 */
final class ConfiguredAcl implements ACLProvider {

	private static final String LETTERS = "rwcda";

	private static final int[] PERMS = { Perms.READ, Perms.WRITE, Perms.CREATE, Perms.DELETE, Perms.ADMIN };

	private final List<ACL> acl;

	/**
	 * Reads an ACL.
	 * @param entries what {@code zk-lock.acl} says, empty for the default
	 * @param authenticated whether the servers know this client
	 */
	ConfiguredAcl(List<String> entries, boolean authenticated) {
		if (entries.isEmpty()) {
			this.acl = authenticated ? Ids.CREATOR_ALL_ACL : Ids.OPEN_ACL_UNSAFE;
		}
		else {
			List<ACL> all = new ArrayList<>();
			entries.forEach((entry) -> all.addAll(read(entry.trim())));
			this.acl = List.copyOf(all);
		}
	}

	/**
	 * Finds the bean that protects the locks instead of the property.
	 * @param beans those that the user has
	 * @param properties decide if nothing says which of several beans does
	 * @return the bean, or null for none
	 * @throws ZkLockStartupException if neither decides
	 */
	static @Nullable ACLProvider ofUser(ObjectProvider<ACLProvider> beans, ZkLockProperties properties) {
		ACLProvider one = beans.getIfUnique();
		if (one == null && properties.getAcl().isEmpty() && beans.stream().findAny().isPresent()) {
			throw new ZkLockStartupException(
					"There are several ACLProvider beans, and nothing says which one says who may touch the locks.",
					"Mark one of them with @Primary, or set zk-lock.acl.");
		}
		return one;
	}

	/**
	 * Returns what a node is to have, as Curator asks for it.
	 * @param acls what the nodes are to have
	 * @param path its full path
	 * @return the ACL of that path, or the default one
	 */
	static List<ACL> of(ACLProvider acls, String path) {
		List<ACL> acl = acls.getAclForPath(path);
		return (acl != null) ? acl : acls.getDefaultAcl();
	}

	private static List<ACL> read(String entry) {
		if (entry.equals("creator")) {
			return Ids.CREATOR_ALL_ACL;
		}
		if (entry.equals("open")) {
			return Ids.OPEN_ACL_UNSAFE;
		}
		int first = entry.indexOf(':');
		int last = entry.lastIndexOf(':');
		if (first <= 0 || first == last || last == entry.length() - 1) {
			throw bad(entry, "It must be 'creator', 'open', or scheme:id:permissions as in world:anyone:r.");
		}
		int perms = 0;
		for (char letter : entry.substring(last + 1).toCharArray()) {
			int index = LETTERS.indexOf(letter);
			if (index < 0) {
				throw bad(entry, "Permissions are letters of 'cdrwa', but one is '" + letter + "'.");
			}
			perms |= PERMS[index];
		}
		return List.of(new ACL(perms, new Id(entry.substring(0, first), entry.substring(first + 1, last))));
	}

	private static InvalidConfigurationPropertyValueException bad(String entry, String reason) {
		return new InvalidConfigurationPropertyValueException("zk-lock.acl", entry, reason);
	}

	/**
	 * Returns whether an ACL lets everybody in.
	 * @param acl the ACL of a node
	 * @return whether anybody may create or delete nodes below it
	 */
	static boolean isOpen(List<ACL> acl) {
		return acl.stream()
			.anyMatch((entry) -> entry.getId().equals(Ids.ANYONE_ID_UNSAFE)
					&& (entry.getPerms() & (Perms.CREATE | Perms.DELETE | Perms.ADMIN)) != 0);
	}

	@Override
	public List<ACL> getDefaultAcl() {
		return this.acl;
	}

	@Override
	public List<ACL> getAclForPath(String path) {
		return this.acl;
	}

}
