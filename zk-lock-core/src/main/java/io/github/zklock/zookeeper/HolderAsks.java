package io.github.zklock.zookeeper;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

import io.github.zklock.LockUnavailableException;
import io.github.zklock.inspect.HolderNote;
import io.github.zklock.internal.node.ClientIdentity;
import io.github.zklock.internal.node.NodeContent;
import io.github.zklock.internal.session.LockPaths;

/**
 * Asks those who hold a key to let go, by the nodes that they have for that.
 *
 * @param reads the connection
 * @param paths where their nodes are
 * @param identity who asks
 */
record HolderAsks(InspectorReads reads, LockPaths paths, ClientIdentity identity) {

	/** A holder looks once a second. */
	private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(4);

	private static final long PAUSE_MILLIS = 100;

	private static final int MOST_TRIES = 5;

	List<HolderNote> ask(String key, String reason) {
		List<String> besides = this.paths.askedBesideEach(key);
		String ask = UUID.randomUUID().toString();
		Map<String, HolderNote> asked = new LinkedHashMap<>();
		for (String name : this.reads.names(this.paths.asks())) {
			String path = this.paths.asks() + "/" + name;
			String beside = besides.stream().filter(path::startsWith).findFirst().orElse("");
			HolderNote holder = beside.isEmpty() ? null : write(path, path.substring(beside.length()), ask, reason);
			if (holder != null) {
				asked.put(path, holder);
			}
		}
		awaitNotice(asked, ask, reason);
		return List.copyOf(asked.values());
	}

	// If several ask at once, the last ask wins
	private @Nullable HolderNote write(String path, String id, String ask, String reason) {
		for (int i = 0; i < MOST_TRIES; i++) {
			InspectorReads.Node node = this.reads.node(path);
			HolderNote holder = parse(node);
			if (holder == null || node.stat() == null) {
				return null;
			}
			Code code = this.reads.write(path, describe(id, ask, reason, holder), node.stat().getVersion());
			if (code == Code.OK) {
				return note(ask, reason, false, holder);
			}
			if (code == Code.NONODE) {
				return null;
			}
		}
		throw new LockUnavailableException("Others ask the holder at " + path + " all the time");
	}

	// Also who the holder is, for who asks again before it has noticed
	private byte[] describe(String id, String ask, String reason, HolderNote holder) {
		Map<String, String> fields = new LinkedHashMap<>();
		fields.put("id", id);
		fields.put("ask", ask);
		fields.put("reason", reason);
		fields.put("holderInstance", Objects.toString(holder.instance(), ""));
		fields.put("holderHost", Objects.toString(holder.host(), ""));
		fields.put("holderPid", Objects.toString(holder.pid(), ""));
		return this.identity.describe(fields);
	}

	private static @Nullable HolderNote parse(InspectorReads.Node node) {
		return HolderNote.parse(NodeContent.text(node.content()));
	}

	private void awaitNotice(Map<String, HolderNote> asked, String ask, String reason) {
		long began = System.nanoTime();
		List<String> open = new ArrayList<>(asked.keySet());
		while (!open.isEmpty() && System.nanoTime() - began < PATIENCE_NANOS) {
			for (String path : List.copyOf(open)) {
				HolderNote note = parse(this.reads.node(path));
				if (note == null) {
					asked.computeIfPresent(path, (same, holder) -> note(ask, reason, true, holder));
					open.remove(path);
				}
				else if (note.noticed() && ask.equals(note.ask())) {
					asked.put(path, note);
					open.remove(path);
				}
			}
			pause(open.isEmpty());
		}
	}

	private static HolderNote note(String ask, String reason, boolean noticed, HolderNote holder) {
		return new HolderNote(ask, reason, noticed, holder.instance(), holder.host(), holder.pid());
	}

	private static void pause(boolean over) {
		try {
			Thread.sleep(over ? 0 : PAUSE_MILLIS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LockUnavailableException("Interrupted while holders were asked", ex);
		}
	}

}
