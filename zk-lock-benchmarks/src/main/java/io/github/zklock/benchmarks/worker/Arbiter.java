package io.github.zklock.benchmarks.worker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Checks exclusion in memory that all worker processes share: a mapped file.
 *
 * <p>
 * Every key has a slot of two numbers. Who enters adds itself to the first one, a writer
 * 2^32 and a reader 1, in one atomic step, and sees by what was there before who else is
 * inside. The second one is counted up by writers without any atomicity, so that it falls
 * short if two are inside at once, even if they miss each other in the first.
 */
public final class Arbiter {

	/** How many slots there are. */
	static final int SLOTS = 2048;

	private static final long WRITER = 1L << 32;

	private static final int VIOLATIONS = 0;

	private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

	private final MappedByteBuffer memory;

	private Arbiter(MappedByteBuffer memory) {
		this.memory = memory;
	}

	/**
	 * Opens the memory, making it if need be.
	 * @param file the file
	 * @return the arbiter
	 */
	public static Arbiter open(Path file) {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ,
				StandardOpenOption.WRITE)) {
			return new Arbiter(channel.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES * (2L * SLOTS + 2)));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Forgets everything. Nobody may be inside.
	 */
	public void reset() {
		for (int i = 0; i < this.memory.capacity(); i += Long.BYTES) {
			LONGS.setVolatile(this.memory, i, 0L);
		}
	}

	/**
	 * Counts the visitors that found others inside that should not have been there.
	 * @return the number of violations
	 */
	public long violations() {
		return (long) LONGS.getVolatile(this.memory, VIOLATIONS);
	}

	/**
	 * Counts the writers' visits by the numbers that are not atomic.
	 * @return the visits that were not overwritten by others
	 */
	public long writes() {
		long sum = 0;
		for (int slot = 0; slot < SLOTS; slot++) {
			sum += (long) LONGS.getVolatile(this.memory, writes(slot));
		}
		return sum;
	}

	private static int inside(int slot) {
		return Long.BYTES * (2 + 2 * slot);
	}

	private static int writes(int slot) {
		return Long.BYTES * (3 + 2 * slot);
	}

	/**
	 * Enters.
	 * @param slot the key's slot
	 * @param shared whether other readers may be inside
	 * @return what is to be given to {@link #exit}
	 */
	long enter(int slot, boolean shared) {
		long before = (long) LONGS.getAndAdd(this.memory, inside(slot), shared ? 1L : WRITER);
		if (shared ? before >= WRITER : before != 0) {
			LONGS.getAndAdd(this.memory, VIOLATIONS, 1L);
		}
		return (long) LONGS.get(this.memory, writes(slot));
	}

	/**
	 * Enters with a permit.
	 * @param slot the key's slot
	 * @param permits how many may be inside
	 */
	void enterWithPermit(int slot, int permits) {
		if ((long) LONGS.getAndAdd(this.memory, inside(slot), 1L) >= permits) {
			LONGS.getAndAdd(this.memory, VIOLATIONS, 1L);
		}
	}

	/**
	 * Leaves.
	 * @param slot the key's slot
	 * @param shared as on entering
	 * @param writes what {@link #enter} returned
	 */
	void exit(int slot, boolean shared, long writes) {
		if (!shared) {
			LONGS.set(this.memory, writes(slot), writes + 1);
		}
		LONGS.getAndAdd(this.memory, inside(slot), shared ? -1L : -WRITER);
	}

}
