package io.github.zklock.internal.client;

import java.util.HashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * An owner, and what it has taken of the {@link Shares}. It is found again when the owner
 * has changed; one whose {@code equals} throws is taken for another one, because those
 * who give shares back, or are served, must not fail by it.
 */
final class ShareOwner {

	private final Holds.Owned owner;

	private final Set<Shares.Claim> taken = new HashSet<>();

	ShareOwner(Object owner) {
		this.owner = new Holds.Owned(owner, "");
	}

	Set<Shares.Claim> taken() {
		return this.taken;
	}

	@Override
	public boolean equals(@Nullable Object other) {
		try {
			return this == other || (other instanceof ShareOwner another && this.owner.equals(another.owner));
		}
		catch (Throwable ex) {
			return false;
		}
	}

	@Override
	public int hashCode() {
		return this.owner.hashCode();
	}

}
