package io.github.zklock.aop;

/**
 * Resolves <code>${...}</code> placeholders.
 */
@FunctionalInterface
interface Placeholders {

	/**
	 * Replaces the placeholders in a text.
	 * @param text the text
	 * @return the text without placeholders
	 * @throws IllegalArgumentException if one cannot be resolved
	 */
	String resolve(String text);

}
