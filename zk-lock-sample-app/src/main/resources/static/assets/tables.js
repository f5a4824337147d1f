// The tables.

import { count, element, millis, ratio, strategy } from "./format.js";

const LABELS = ["naive", "sequential", "none"];

const LAST_TURNS = 8;

/**
 * Shows the last contest of each kind.
 */
export function showResults(results) {
	if (results.length > 0) {
		const ordered = [...results].sort((a, b) => LABELS.indexOf(a.label) - LABELS.indexOf(b.label));
		document.getElementById("results").replaceChildren(...ordered.map(resultRow));
	}
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
