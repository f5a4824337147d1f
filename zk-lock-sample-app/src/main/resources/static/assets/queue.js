// The queue of the key.

import { count, element } from "./format.js";

const MAX_CHIPS = 40;

const CLIENT = /^client (\d+)$/;

/**
 * Shows who is queued in ZooKeeper.
 * @param {{standing: string[], total: number}} line who is there, the holder first
 * @param {object} [contest] the contest that runs, if one does
 */
export function showQueue(line, contest) {
	const shown = line.standing.slice(0, MAX_CHIPS);
	document.getElementById("queue").replaceChildren(...shown.map(chip));
	document.getElementById("queue-text").textContent = describe(line, shown.length, contest);
}

function chip(who, position) {
	const client = CLIENT.exec(who);
	const text = client ? client[1] : (who === "frozen holder") ? "frozen" : "by hand";
	const made = element("li", (position === 0) ? `${text} holds` : text);
	made.classList.toggle("holds", position === 0);
	made.classList.toggle("other", !client);
	made.title = who;
	return made;
}

function describe(line, shown, contest) {
	if (contest?.label === "none") {
		return "Without a lock there is no queue.";
	}
	const outside = watching(line, contest);
	if (line.total === 0 && outside === 0) {
		return "Nobody holds the key, and nobody waits.";
	}
	const parts = [];
	if (line.total > shown) {
		parts.push(`${count(line.total - shown)} more wait behind them.`);
	}
	if (outside > 0) {
		parts.push(`${count(outside)} clients wait outside, each with a watch on the holder's node: the naive strategy has no queue.`);
	}
	else if (line.total > 1) {
		parts.push(`${count(line.total - 1)} wait. ${(contest?.label === "naive") ? "Each watches the whole queue." : "Each watches the one before it, or up to four where the servers are far."}`);
	}
	return parts.join(" ");
}

/** Counts the clients that wait and have no node: only the naive strategy has them. */
function watching(line, contest) {
	if (contest?.stage !== "RUNNING" || contest.label !== "naive" || contest.mode !== "EXCLUSIVE") {
		return 0;
	}
	const { served, turnedAway } = contest.score;
	const standing = line.standing.filter((who) => CLIENT.test(who)).length;
	return Math.max(0, contest.clients - served - turnedAway - standing);
}
