package io.github.zklock.sample.lab;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

import io.github.zklock.LockException;
import io.github.zklock.sample.contest.LineWatch;
import io.github.zklock.sample.contest.LineWatch.Standing;
import io.github.zklock.sample.contest.OwnSession;

/**
 * Watches the line of the key while somebody is in it who is not of a contest, over a
 * connection of its own that is opened for that and closed after it.
 */
final class KeyWatch implements AutoCloseable {

	private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(10);

	private final ExecutorService thread = Executors
		.newSingleThreadExecutor(new CustomizableThreadFactory("lab-key-watch-"));

	private final String connectString;

	private final LabKey key;

	private final Notes notes;

	private boolean wanted;

	private volatile @Nullable LineWatch watch;

	KeyWatch(String connectString, LabKey key, Notes notes) {
		this.connectString = connectString;
		this.key = key;
		this.notes = notes;
	}

	synchronized void want(boolean now) {
		if (this.wanted != now) {
			this.wanted = now;
			this.thread.execute(now ? this::open : this::shut);
		}
	}

	private void open() {
		try {
			this.watch = LineWatch.start(OwnSession.connect(this.connectString, SESSION_TIMEOUT), this.key.path());
		}
		catch (LockException ex) {
			this.notes.add("The queue is not shown: %s".formatted(ex.getMessage()));
		}
		catch (InterruptedException ex) {
			// closed
		}
	}

	private void shut() {
		LineWatch open = this.watch;
		this.watch = null;
		if (open != null) {
			open.close();
		}
	}

	List<Standing> line() {
		LineWatch open = this.watch;
		return (open != null) ? open.standing() : List.of();
	}

	@Override
	public void close() {
		want(false);
		this.thread.shutdown();
	}

}
