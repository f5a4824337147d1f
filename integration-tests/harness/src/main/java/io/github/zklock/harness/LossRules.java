package io.github.zklock.harness;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import org.apache.zookeeper.ZooDefs.OpCode;

/**
 * Which requests of a {@link FaultProxy}'s clients are lost, or lose their answers.
 */
final class LossRules {

	/** The type behind the last operation. */
	private static final int END_OF_MULTI = -1;

	private final List<Rule> rules = new CopyOnWriteArrayList<>();

	/**
	 * Adds a rule, which hits once.
	 * @param number which of the matching requests from now on, from one
	 * @param types the request types that match
	 * @param ofRequest whether the request itself is lost, and not its answer
	 * @param thenRefuse whether no new connections are accepted then
	 * @return completes when it has happened, with the path of the request
	 */
	CompletableFuture<String> add(int number, Set<Integer> types, boolean ofRequest, boolean thenRefuse) {
		Rule rule = new Rule(number, types, ofRequest, thenRefuse);
		this.rules.add(rule);
		return rule.done;
	}

	/** Nothing is lost any more. */
	void clear() {
		this.rules.clear();
	}

	/**
	 * Looks whether a request is hit.
	 * @param frame the request, with its header
	 * @return what is lost; empty if no rule hits
	 */
	Optional<Loss> hitBy(byte[] frame) {
		int type = type(frame);
		List<Rule> hit = this.rules.stream().filter((rule) -> rule.hits(type)).toList();
		this.rules.removeAll(hit);
		return hit.stream()
			.findFirst()
			.map((rule) -> new Loss(rule.ofRequest, rule.thenRefuse, rule.done, (type < 0) ? "" : path(frame)));
	}

	/**
	 * Returns of which type a request is.
	 * @param frame the request, with its header
	 * @return its type; of a multi the negative of the type of the first operation that
	 * is no check, if there is one
	 */
	static int type(byte[] frame) {
		ByteBuffer request = ByteBuffer.wrap(frame, 4, frame.length - 4);
		int opCode = request.getInt();
		return (opCode == OpCode.multi) ? -firstOfMulti(request) : opCode;
	}

	private static int firstOfMulti(ByteBuffer operations) {
		int type = operations.getInt();
		while (type == OpCode.check) {
			skip(operations, Byte.BYTES + Integer.BYTES);
			skip(operations, operations.getInt() + Integer.BYTES);
			int next = operations.getInt();
			if (next == END_OF_MULTI) {
				return type;
			}
			type = next;
		}
		return type;
	}

	private static void skip(ByteBuffer buffer, int bytes) {
		buffer.position(buffer.position() + bytes);
	}

	private static String path(byte[] frame) {
		ByteBuffer buffer = ByteBuffer.wrap(frame, 8, frame.length - 8);
		byte[] bytes = new byte[buffer.getInt()];
		buffer.get(bytes);
		return new String(bytes, StandardCharsets.UTF_8);
	}

	/**
	 * What is lost.
	 *
	 * @param ofRequest whether the request itself is, and not its answer
	 * @param thenRefuse whether no new connections are accepted then
	 * @param done to be completed with the path
	 * @param path the path of the request; empty for a multi
	 */
	record Loss(boolean ofRequest, boolean thenRefuse, CompletableFuture<String> done, String path) {
	}

	private static final class Rule {

		private final Set<Integer> types;

		private final boolean ofRequest;

		private final boolean thenRefuse;

		private final CompletableFuture<String> done = new CompletableFuture<>();

		private int number;

		Rule(int number, Set<Integer> types, boolean ofRequest, boolean thenRefuse) {
			this.number = number;
			this.types = types;
			this.ofRequest = ofRequest;
			this.thenRefuse = thenRefuse;
		}

		synchronized boolean hits(int type) {
			return this.types.contains(type) && --this.number == 0;
		}

	}

}
