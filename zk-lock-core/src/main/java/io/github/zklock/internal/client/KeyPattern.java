package io.github.zklock.internal.client;

/**
 * Text in which {@code *} stands for any text, and the set of keys that it describes.
 *
 * @param text the pattern
 */
record KeyPattern(String text) {

	private static final char ANY = '*';

	/**
	 * Returns whether a key is among those of this pattern. Goes back to the last star
	 * only, because an earlier one can do nothing that it cannot.
	 * @param key the key
	 * @return whether it matches
	 */
	boolean matches(String key) {
		int at = 0;
		int in = 0;
		int star = -1;
		int resume = 0;
		while (in < key.length()) {
			if (isStar(at)) {
				star = at++;
				resume = in;
			}
			else if (at < this.text.length() && this.text.charAt(at) == key.charAt(in)) {
				at++;
				in++;
			}
			else if (star >= 0) {
				at = star + 1;
				in = ++resume;
			}
			else {
				return false;
			}
		}
		while (isStar(at)) {
			at++;
		}
		return at == this.text.length();
	}

	private boolean isStar(int at) {
		return at < this.text.length() && this.text.charAt(at) == ANY;
	}

	/**
	 * Returns whether all keys of another pattern are among the keys of this one. They
	 * are if the other's text matches: its stars can match stars of ours only.
	 * @param other the other pattern
	 * @return whether this one has them all
	 */
	boolean covers(KeyPattern other) {
		return matches(other.text);
	}

	/**
	 * Returns whether some key matches both patterns.
	 * @param other the other pattern
	 * @return whether there may be such a key
	 */
	boolean meets(KeyPattern other) {
		int height = this.text.length();
		int width = other.text.length();
		boolean[][] rest = new boolean[height + 2][width + 2];
		for (int at = height; at >= 0; at--) {
			for (int in = width; in >= 0; in--) {
				if (at == height && in == width) {
					rest[at][in] = true;
				}
				else if (isStar(at) || other.isStar(in)) {
					rest[at][in] = rest[at + 1][in] || rest[at][in + 1];
				}
				else {
					rest[at][in] = at < height && in < width && this.text.charAt(at) == other.text.charAt(in)
							&& rest[at + 1][in + 1];
				}
			}
		}
		return rest[0][0];
	}

}
