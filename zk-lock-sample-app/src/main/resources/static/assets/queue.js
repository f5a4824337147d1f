// The queue of the key.

import { count, element } from "./format.js";

const MAX_CHIPS = 40;

/**
 * Shows who stands in ZooKeeper.
 * @param {{standing: string[], total: number}} line who stands there, the holder first
 * @param {number} watching how many clients wait and stand nowhere
 */
export function showQueue(line, watching) {
	const shown = line.standing.slice(0, MAX_CHIPS);
	document.getElementById("queue").replaceChildren(...shown.map(chip));
	document.getElementById("queue-text").textContent = describe(line, shown.length, watching);
}

function chip(who, position) {
	const client = /^client (\d+)$/.exec(who);
	const text = client ? client[1] : (who === "frozen holder") ? "frozen" : "by hand";
	const made = element("li", (position === 0) ? `${text} holds` : text);
	made.classList.toggle("holds", position === 0);
	made.classList.toggle("other", !client);
	made.title = who;
	return made;
}

function describe(line, shown, watching) {
	if (line.total === 0 && watching === 0) {
		return "Nobody holds the key, and nobody waits.";
	}
	const parts = [];
	if (line.total > shown) {
		parts.push(`${count(line.total - shown)} more stand behind them.`);
	}
	if (watching > 0) {
		parts.push(`${count(watching)} clients wait outside the queue, each with a watch on the holder's node: the naive strategy has no line.`);
	}
	else if (line.total > 1) {
		parts.push(`${count(line.total - 1)} wait, and each watches the one before it.`);
	}
	return parts.join(" ");
}
