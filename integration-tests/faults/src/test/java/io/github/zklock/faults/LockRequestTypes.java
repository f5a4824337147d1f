package io.github.zklock.faults;

import java.util.Set;

import org.apache.zookeeper.ZooDefs.OpCode;

import io.github.zklock.harness.FaultProxy;

/**
 * The types of the requests by which locks are taken and released, as {@link FaultProxy}
 * counts them.
 */
final class LockRequestTypes {

	/** Requests that create a lock node. */
	static final Set<Integer> CREATIONS = Set.of(OpCode.create2, -OpCode.create, -OpCode.createContainer);

	/** Requests that create a lock node together with its key node. */
	static final Set<Integer> CREATIONS_WITH_KEY_NODE = Set.of(-OpCode.createContainer);

	/** Requests that delete a lock node. */
	static final Set<Integer> DELETIONS = Set.of(OpCode.delete, -OpCode.delete);

	/** Requests that delete a lock node together with its key node. */
	static final Set<Integer> DELETIONS_WITH_KEY_NODE = Set.of(-OpCode.delete);

	/** Requests that make a WRITE node a READ one. */
	static final Set<Integer> DOWNGRADES = Set.of(-OpCode.create);

	/** Requests that note in a permit's node that it is held. */
	static final Set<Integer> HOLDER_MARKS = Set.of(-OpCode.setData);

	/** Requests that write the mark of a job, under a check of its lock. */
	static final Set<Integer> MARKS = Set.of(-OpCode.create, -OpCode.setData);

	private LockRequestTypes() {
	}

}
