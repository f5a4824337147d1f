// The tables.

import { comparable, conditions, count, element, millis, ratio, strategy } from "./format.js";

const LABELS = ["naive", "sequential", "none"];

const LAST_TURNS = 8;

/**
 * Chooses the results that may stand beside a contest: under the same conditions as it, and as each other.
 * @param {object[]} results the last contest of each kind
 * @param {object} [contest] the latest contest; there is nothing to compare before the first one
 */
export function beside(results, contest) {
	if (!contest) {
		return [];
	}
	const alike = results.filter((result) => comparable(result, contest));
	const locked = alike.find((result) => result.label !== "none");
	return alike.filter((result) => !locked || comparable(result, locked))
		.sort((a, b) => LABELS.indexOf(a.label) - LABELS.indexOf(b.label));
}

/**
 * Shows the contests that can be compared with the latest one.
 * @param {object[]} results the results that may stand beside each other
 * @param {object} [contest] the latest contest
 */
export function showResults(results, contest) {
	if (!contest) {
		return;
	}
	document.getElementById("results-of").textContent = `All with ${conditions(contest)}. Overlaps: two clients in the section at once.`;
	const rows = results.map(resultRow);
	if (rows.length < 2) {
		const cell = element("td", "Run the same with the other strategy, or without a lock, and both are shown here.", "empty");
		cell.colSpan = 7;
		const row = document.createElement("tr");
		row.append(cell);
		rows.push(row);
	}
	document.getElementById("results").replaceChildren(...rows);
}

function resultRow(result) {
	const row = document.createElement("tr");
	const name = element("th", strategy(result.label));
	name.scope = "row";
	const { overlaps, soldTwice } = result.violations;
	row.append(name, element("td", count(result.clients)),
		element("td", result.watchEvents ? ratio(result.watchEvents.perRelease) : "–"),
		element("td", millis(result.waitMillis.p50)), element("td", millis(result.waitMillis.p99)),
		element("td", count(overlaps), overlaps > 0 ? "bad" : ""),
		element("td", count(soldTwice), soldTwice > 0 ? "bad" : ""));
	return row;
}

/**
 * Shows who was served last.
 */
export function showTurns(turns) {
	const last = turns.slice(-LAST_TURNS).reverse();
	if (last.length > 0) {
		document.getElementById("turns").replaceChildren(...last.map(turnRow));
	}
}

function turnRow(turn) {
	const row = document.createElement("tr");
	const served = turn.entered !== undefined;
	row.append(element("td", turn.client), element("td", millis((served ? turn.entered : turn.left) - turn.asked)),
		element("td", served ? millis(turn.left - turn.entered) : "never"),
		element("td", turn.ticket ?? "–"), element("td", turn.token ?? "–"));
	return row;
}
