package io.github.zklock.internal.contender;

import java.util.ArrayList;
import java.util.List;

import io.github.zklock.LockException;
import io.github.zklock.LostReason;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.Grant;

/**
 * Notes what a contender reports.
 */
final class NotingListener implements ContenderListener {

	private final List<String> notes = new ArrayList<>();

	private Grant grant;

	private Blocker blocker;

	private boolean failing;

	private Runnable onDisturbed = () -> {
	};

	List<String> notes() {
		return this.notes;
	}

	/** Lets the step fail that notes a grant. */
	void failWhenGranted() {
		this.failing = true;
	}

	/**
	 * Does something when a disturbance is noted.
	 * @param action what
	 */
	void onDisturbed(Runnable action) {
		this.onDisturbed = action;
	}

	/**
	 * Returns what was granted.
	 * @return the first grant
	 */
	Grant grant() {
		return this.grant;
	}

	/**
	 * Returns who was in the way last.
	 * @return the blocker that was reported last
	 */
	Blocker blocker() {
		return this.blocker;
	}

	@Override
	public void granted(List<Grant> grants) {
		this.grant = grants.get(0);
		this.notes.add("granted");
		if (this.failing) {
			throw new NoClassDefFoundError("planted");
		}
	}

	@Override
	public void blocked(Blocker blocker) {
		this.blocker = blocker;
		this.notes.add("blocked");
	}

	@Override
	public void awaits(Blocker blocker) {
		this.notes.add("awaits");
	}

	@Override
	public void busy(Blocker blocker) {
		this.blocker = blocker;
		this.notes.add("busy");
	}

	@Override
	public void failed(LockException cause) {
		this.notes.add("failed");
	}

	@Override
	public void disturbed(Exception cause) {
		this.notes.add("disturbed");
		this.onDisturbed.run();
	}

	@Override
	public void lost(Grant grant, LostReason reason) {
		this.notes.add("lost");
	}

}
