package io.github.zklock.autoconfigure;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.data.Stat;

/**
 * Looks at the ACLs of the key nodes that are there.
 *
 * @param zooKeeper the connection
 * @param root the full path of the root
 * @param allowed who may change them
 */
record KeyNodeAccess(ZooKeeper zooKeeper, String root, AllowedAccess allowed) {

	/** How many requests are sent, apart from the list of the root's children. */
	private static final int MOST = 1000;

	private static final int SECONDS = 5;

	/** Of a node that others made, and that shows its own ACL to them only. */
	private static final List<ACL> HIDDEN = List.of(new ACL(Perms.ALL, new Id("", "those whom its ACL hides")));

	/** A key has no such segment where keys are nested. */
	private static final Pattern CONTENDER = Pattern.compile(".*(lock-|__READ__|__WRIT__)-?[0-9]{10,}");

	/**
	 * Looks at them, the upper ones first.
	 * @param nested whether key nodes are below others
	 * @return the paths of those that let others in, and whom
	 * @throws Exception if an answer is missing
	 */
	Map<String, String> others(boolean nested) throws Exception {
		Map<String, String> found = new TreeMap<>();
		int left = MOST;
		List<String> level = this.zooKeeper.getChildren(this.root, false)
			.stream()
			.filter((name) -> !RootAccess.STAYS.equals("/" + name))
			.map((name) -> this.root + "/" + name)
			.toList();
		while (!level.isEmpty() && left > 0) {
			List<String> looked = first(left, level);
			left -= looked.size();
			List<String> parents = first(left, judge(looked, found));
			left -= parents.size();
			level = nested ? below(parents) : List.of();
		}
		return found;
	}

	private static List<String> first(int most, List<String> paths) {
		return paths.subList(0, Math.min(most, paths.size()));
	}

	private List<String> judge(List<String> paths, Map<String, String> found) throws Exception {
		Map<String, CompletableFuture<Access>> asked = new LinkedHashMap<>();
		paths.forEach((path) -> asked.put(path, access(path)));
		List<String> parents = new ArrayList<>();
		for (Map.Entry<String, CompletableFuture<Access>> one : asked.entrySet()) {
			Access access = one.getValue().get(SECONDS, TimeUnit.SECONDS);
			String others = this.allowed.others(one.getKey(), access.acl());
			if (!others.isEmpty()) {
				found.put(one.getKey(), others);
			}
			if (access.children() > 0 && access.children() <= RootAccess.MOST_LISTED && isKeyNode(one.getKey())) {
				parents.add(one.getKey());
			}
		}
		return parents;
	}

	// Beside the key nodes there are those of jobs, for instance
	private boolean isKeyNode(String path) {
		return !path.startsWith(this.root + "/%~");
	}

	private List<String> below(List<String> parents) throws Exception {
		Map<String, CompletableFuture<List<String>>> asked = new LinkedHashMap<>();
		parents.forEach((path) -> asked.put(path, children(path)));
		List<String> level = new ArrayList<>();
		for (Map.Entry<String, CompletableFuture<List<String>>> one : asked.entrySet()) {
			one.getValue()
				.get(SECONDS, TimeUnit.SECONDS)
				.stream()
				.filter((name) -> !CONTENDER.matcher(name).matches())
				.forEach((name) -> level.add(one.getKey() + "/" + name));
		}
		return level;
	}

	private CompletableFuture<Access> access(String path) {
		CompletableFuture<Access> answer = new CompletableFuture<>();
		this.zooKeeper.getACL(path, new Stat(), (rc, given, context, acl, stat) -> {
			Code code = code(rc);
			switch (code) {
				case OK -> answer.complete(new Access(acl, stat.getNumChildren()));
				case NOAUTH -> answer.complete(new Access(HIDDEN, 0));
				case NONODE -> answer.complete(new Access(List.of(), 0));
				default -> answer.completeExceptionally(KeeperException.create(code, path));
			}
		}, null);
		return answer;
	}

	private CompletableFuture<List<String>> children(String path) {
		CompletableFuture<List<String>> answer = new CompletableFuture<>();
		this.zooKeeper.getChildren(path, false, (rc, given, context, names) -> {
			Code code = code(rc);
			switch (code) {
				case OK -> answer.complete(names);
				case NOAUTH, NONODE -> answer.complete(List.of());
				default -> answer.completeExceptionally(KeeperException.create(code, path));
			}
		}, null);
		return answer;
	}

	// Of one that only newer servers have, one that says nothing
	static Code code(int rc) {
		try {
			return Code.get(rc);
		}
		catch (IllegalArgumentException ex) {
			return Code.SYSTEMERROR;
		}
	}

	/**
	 * What the servers say of a node.
	 *
	 * @param acl its ACL
	 * @param children how many children it has
	 */
	private record Access(List<ACL> acl, int children) {
	}

}
