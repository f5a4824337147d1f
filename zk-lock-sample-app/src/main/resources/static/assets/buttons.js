// Pairs of buttons, of which one undoes what the other one does.

/**
 * Enables and disables a pair. Who has pressed one of them by the keyboard goes on with the other.
 * @param {[HTMLButtonElement, boolean][]} pair the buttons, each with whether it can be pressed
 */
export function enable(...pair) {
	const pressed = pair.find(([button, enabled]) => !enabled && button === document.activeElement);
	const next = pair.find(([, enabled]) => enabled);
	pair.forEach(([button, enabled]) => button.disabled = !enabled);
	if (pressed && next) {
		next[0].focus();
	}
}
