package io.github.zklock.zookeeper;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.github.zklock.LockMode;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.inspect.LockLine;
import io.github.zklock.inspect.LockLine.Standing;
import io.github.zklock.internal.concurrent.Mailbox;
import io.github.zklock.internal.node.Identity;
import io.github.zklock.internal.node.Line;
import io.github.zklock.internal.node.LineName;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.SessionSource;
import io.github.zklock.spi.Grant;

/**
 * Reads a key's line for people: one list and one read for each contender.
 */
final class LineReader {

	/*-
	 * Answers come on ZooKeeper's event thread and become steps of one mailbox, to which all
	 * that changes is confined. `result` is completed once; what comes behind a failure changes
	 * nothing.
	 */

	static final int ALL = Integer.MAX_VALUE;

	/** Enough for a writer, or for some readers. */
	static final int FRONT = 5;

	private final Mailbox mailbox = new Mailbox();

	private final CompletableFuture<LockLine> result = new CompletableFuture<>();

	private final Map<String, Stat> stats = new HashMap<>();

	private final Map<String, byte[]> contents = new HashMap<>();

	private final LockSession session;

	private final Identity identity;

	private final String key;

	private final String place;

	private final int limit;

	private int missing;

	private LineReader(LockSession session, Identity identity, String key, String place, int limit) {
		this.session = session;
		this.identity = identity;
		this.key = key;
		this.place = place;
		this.limit = limit;
	}

	static CompletableFuture<LockLine> read(SessionSource source, String key, int limit) {
		LockSession session = source.current();
		if (session == null) {
			return CompletableFuture.failedFuture(
					new LockUnavailableException("Could not read the line of '" + key + "': no ZooKeeper session"));
		}
		LineReader reader = new LineReader(session, source.identity(), key, source.paths().place(key), limit);
		session.requests()
			.children(reader.place, null,
					(code, names, stat) -> reader.mailbox.execute(() -> reader.listed(code, names, stat)));
		return reader.result.thenApplyAsync(Function.identity());
	}

	private void listed(Code code, @Nullable List<String> names, @Nullable Stat stat) {
		if (names == null || stat == null) {
			if (code == Code.NONODE) {
				this.result.complete(new LockLine(this.key, List.of()));
			}
			else {
				fail(code);
			}
		}
		else if (stat.getEphemeralOwner() != 0) {
			this.session.requests()
				.read(this.place, null,
						(readCode, content, read) -> this.mailbox.execute(() -> plain(readCode, content, read)));
		}
		else {
			Line line = Line.of(names);
			List<LineName> looked = line.needsCzxids() ? line.names()
					: line.names().subList(0, Math.min(this.limit, line.names().size()));
			this.missing = looked.size();
			if (this.missing == 0) {
				this.result.complete(new LockLine(this.key, List.of()));
			}
			for (LineName name : looked) {
				this.session.requests()
					.read(this.place + "/" + name.name(), null, (readCode, content, read) -> this.mailbox
						.execute(() -> standing(line, name.name(), readCode, content, read)));
			}
		}
	}

	private void plain(Code code, byte @Nullable [] content, @Nullable Stat stat) {
		if (stat == null && code != Code.NONODE) {
			fail(code);
			return;
		}
		List<Standing> holder = (stat != null) ? List.of(plain(this.identity, this.place, content, stat)) : List.of();
		this.result.complete(new LockLine(this.key, holder));
	}

	private void standing(Line line, String name, Code code, byte @Nullable [] content, @Nullable Stat stat) {
		if (stat != null) {
			this.stats.put(name, stat);
			if (content != null) {
				this.contents.put(name, content);
			}
		}
		else if (code != Code.NONODE) {
			fail(code);
		}
		if (--this.missing == 0) {
			this.result.complete(
					new LockLine(this.key, standings(this.identity, this.place, line, this.stats, this.contents)));
		}
	}

	/**
	 * Describes who stands at a key's place itself.
	 * @param identity who we are
	 * @param place the place
	 * @param content the node's data
	 * @param stat the node's stat
	 * @return the holder
	 */
	static Standing plain(Identity identity, String place, byte @Nullable [] content, Stat stat) {
		return new Standing(place, LockMode.EXCLUSIVE, true, identity.isOurs(Identity.idIn(content)),
				stat.getCzxid() * Grant.TOKENS, text(content));
	}

	/**
	 * Describes who stands in a line.
	 * @param identity who we are
	 * @param place where the line is
	 * @param line the line
	 * @param stats the stats of those that were read and were there
	 * @param contents their data
	 * @return those that were there, in their order
	 */
	static List<Standing> standings(Identity identity, String place, Line line, Map<String, Stat> stats,
			Map<String, byte[]> contents) {
		Map<String, Long> czxids = new HashMap<>();
		stats.forEach((present, read) -> czxids.put(present, read.getCzxid()));
		boolean byCzxid = line.needsCzxids();
		List<LineName> ordered = byCzxid ? line.byCzxid(czxids).names() : line.names();
		List<Standing> standings = new ArrayList<>(ordered.size());
		boolean onlyReaders = true;
		for (LineName name : ordered) {
			Long czxid = czxids.get(name.name());
			if (czxid != null) {
				boolean holds = standings.isEmpty() || (onlyReaders && name.mode().isShared());
				onlyReaders = onlyReaders && name.mode().isShared();
				byte[] content = contents.get(name.name());
				standings.add(new Standing(place + "/" + name.name(), name.mode(), holds,
						identity.isOurs(Identity.idIn(content)), czxid * Grant.TOKENS, text(content)));
			}
		}
		return standings;
	}

	private static @Nullable String text(byte @Nullable [] content) {
		return (content != null) ? new String(content, StandardCharsets.UTF_8) : null;
	}

	private void fail(Code code) {
		this.result.completeExceptionally(new LockUnavailableException("Could not read the line of '" + this.key + "'",
				KeeperException.create(code, this.place)));
	}

}
