package io.github.zklock.autoconfigure;

import java.util.List;
import java.util.stream.Collectors;

import org.apache.curator.framework.api.ACLProvider;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;

import io.github.zklock.LockException;

/**
 * Who may change the nodes of the locks: this client, and those whom its ACLs name.
 *
 * @param own who the servers say that this client is
 * @param acls the ACLs that the nodes are to have
 */
record AllowedAccess(List<Id> own, ACLProvider acls) {

	private static final int CHANGES = Perms.WRITE | Perms.CREATE | Perms.DELETE | Perms.ADMIN;

	/**
	 * Names those whom an ACL lets in although they are not to be.
	 * @param path the path of the node
	 * @param acl the ACL that it has
	 * @return who else may write, create, delete, or change that; empty for nobody
	 */
	String others(String path, List<ACL> acl) {
		List<ACL> allowed = ConfiguredAcl.of(this.acls, path);
		return acl.stream()
			.filter((entry) -> letsOthersIn(entry, allowed))
			.map((entry) -> name(entry.getId()))
			.distinct()
			.collect(Collectors.joining(", "));
	}

	private boolean letsOthersIn(ACL entry, List<ACL> allowed) {
		if (this.own.contains(entry.getId())) {
			return false;
		}
		int wanted = allowed.stream()
			.filter((one) -> one.getId().equals(entry.getId()))
			.mapToInt(ACL::getPerms)
			.reduce(0, (one, other) -> one | other);
		return (entry.getPerms() & CHANGES & ~wanted) != 0;
	}

	/**
	 * Names an id, for people: without the hash of a password, and in one line, because
	 * anybody may have chosen it.
	 * @param id the id
	 * @return scheme and id, or {@code everybody}
	 */
	static String name(Id id) {
		if (id.equals(Ids.ANYONE_ID_UNSAFE)) {
			return "everybody";
		}
		int colon = id.getScheme().equals("digest") ? id.getId().indexOf(':') : -1;
		String who = (colon >= 0) ? id.getId().substring(0, colon) : id.getId();
		return LockException.printable(id.getScheme().isEmpty() ? who : id.getScheme() + ":" + who);
	}

}
