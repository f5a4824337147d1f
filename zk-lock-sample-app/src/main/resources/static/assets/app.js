// The page: keeps what the application has told, and shows it once a frame.

import { ask } from "./ask.js";
import { HerdChart, TimelineChart } from "./charts.js";
import { count, element, millis, ratio, strategy } from "./format.js";
import { showQueue } from "./queue.js";
import { listen } from "./stream.js";
import { showTools, wireTools } from "./tools.js";

const STAGES = { CONNECTING: "The clients connect", RUNNING: "Running", LEAVING: "The clients leave",
	CANCELLING: "Cancelling", FINISHED: "Finished", CANCELLED: "Cancelled", FAILED: "Failed" };

const OVER = ["FINISHED", "CANCELLED", "FAILED"];

const LAST_TURNS = 8;

const MAX_NOTES = 30;

const LABELS = ["naive", "sequential", "none"];

const $ = (id) => document.getElementById(id);

const herd = new HerdChart();

const timeline = new TimelineChart();

const seen = { here: false, state: null, contest: null, turns: [], results: [], line: { standing: [], total: 0 },
	newestNote: 0 };

/** What to start when the present contest is over. */
let next = null;

let frame = 0;

function changed() {
	if (!frame) {
		frame = requestAnimationFrame(show);
	}
}

function running() {
	return seen.contest !== null && !OVER.includes(seen.contest.stage);
}

function show() {
	frame = 0;
	showConnection();
	showContest();
	showResults();
	showTurns();
	showNotes();
	showTools(seen.state?.tools);
}

function showConnection() {
	const zooKeeper = seen.state?.zookeeper;
	const connected = seen.here && zooKeeper?.state === "CONNECTED";
	$("connection").dataset.state = connected ? "connected" : "away";
	setText("connection-text", !seen.here ? "No connection to the application"
		: connected ? `ZooKeeper at ${zooKeeper.servers}` : "ZooKeeper is away");
	$("connection").title = zooKeeper?.session ? `session ${zooKeeper.session}, time-out ${zooKeeper.sessionSeconds} s` : "";
	setText("away", !seen.here ? "The application does not answer. This page tries again by itself; what it shows may be old."
		: connected ? "" : `ZooKeeper is away: no server at ${zooKeeper?.servers} answers. Nothing can be locked until one does; what is held now is lost when its session is over. This page goes on by itself.`);
	$("away").hidden = $("away").textContent === "";
	for (const id of ["start", "compare"]) {
		$(id).disabled = !connected || running();
	}
	$("cancel").disabled = !seen.here || !running() || seen.contest.stage === "CANCELLING";
}

function showContest() {
	const contest = seen.contest;
	if (!contest) {
		showQueue(seen.line, 0);
		return;
	}
	const { score } = contest;
	const done = score.served + score.turnedAway;
	setText("run-title", `${strategy(contest.label)}, ${count(contest.clients)} clients, ${contest.sectionMillis} ms`);
	setText("stage", contest.failure ? `${STAGES[contest.stage]}: ${contest.failure}` : STAGES[contest.stage]);
	$("progress").max = contest.clients;
	$("progress").value = (contest.stage === "CONNECTING") ? 0 : done;
	setText("done", (contest.stage === "CONNECTING") ? `${count(contest.connected)} connected`
		: `${count(done)} of ${count(contest.clients)}`);
	setText("p50", score.served ? millis(score.waitMillis.p50) : "–");
	setText("p99", score.served ? millis(score.waitMillis.p99) : "–");
	const locked = contest.label !== "none";
	setText("per-release", (locked && score.served) ? ratio(contest.watchEvents / score.served) : "–");
	setText("sold-twice", count(score.soldTwice));
	$("sold-twice").classList.toggle("bad", score.soldTwice > 0);
	const last = seen.turns.findLast((turn) => turn.token !== undefined);
	setText("token", last ? String(last.token) : "–");
	const unseen = contest.clients - done - seen.line.total;
	showQueue(seen.line, (contest.label === "naive" && contest.stage === "RUNNING") ? Math.max(0, unseen) : 0);
	const shown = { naive: [], sequential: [] };
	for (const result of seen.results) {
		shown[result.label] = result.afterRelease;
	}
	if (locked && running()) {
		shown[contest.label] = afterRelease();
	}
	herd.show(shown.naive, shown.sequential);
	timeline.show(seen.turns);
}

function afterRelease() {
	const totals = seen.turns.filter((turn) => turn.entered !== undefined).map((turn) => turn.watchEvents);
	return totals.slice(1).map((total, i) => total - totals[i]);
}

function showResults() {
	if (seen.results.length > 0) {
		const ordered = [...seen.results].sort((a, b) => LABELS.indexOf(a.label) - LABELS.indexOf(b.label));
		$("results").replaceChildren(...ordered.map(resultRow));
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

function showTurns() {
	const last = seen.turns.slice(-LAST_TURNS).reverse();
	if (last.length > 0) {
		$("turns").replaceChildren(...last.map(turnRow));
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

function showNotes() {
	const notes = seen.state?.notes ?? [];
	const newest = notes.at(-1)?.number ?? 0;
	if (newest < seen.newestNote) {
		// The application was started again
		seen.newestNote = 0;
	}
	if (seen.newestNote === 0 && newest > 0) {
		$("notes").replaceChildren();
	}
	// Those that are there stay, so that a screen reader says the new ones alone
	for (const note of notes.filter(({ number }) => number > seen.newestNote)) {
		$("notes").prepend(noteItem(note));
	}
	while ($("notes").children.length > MAX_NOTES) {
		$("notes").lastElementChild.remove();
	}
	seen.newestNote = newest;
}

function noteItem(note) {
	const item = document.createElement("li");
	const time = element("time", new Date(note.at).toLocaleTimeString("en-GB"));
	time.dateTime = note.at;
	item.append(time, note.text);
	return item;
}

/** Sets a text only if it is another one, so that a screen reader says it once. */
function setText(id, text) {
	if ($(id).textContent !== text) {
		$(id).textContent = text;
	}
}

async function start(form) {
	const problem = await ask("POST", "lab/contest", form);
	setText("problem", problem);
	return !problem;
}

function form(choice) {
	const fields = new URLSearchParams(new FormData($("contest-form")));
	for (const [name, value] of Object.entries(choice)) {
		fields.set(name, value);
	}
	return fields;
}

$("contest-form").addEventListener("submit", (event) => {
	event.preventDefault();
	next = null;
	start(form({ strategy: $("contest-form").elements.strategy.value }));
});

$("compare").addEventListener("click", async () => {
	if ($("contest-form").reportValidity()) {
		const mode = ($("mode").value === "none") ? "exclusive" : $("mode").value;
		next = form({ strategy: "sequential", mode });
		if (!await start(form({ strategy: "naive", mode }))) {
			next = null;
		}
	}
});

$("cancel").addEventListener("click", async () => {
	next = null;
	setText("problem", await ask("DELETE", "lab/contest"));
});

$("mode").addEventListener("change", () => {
	document.querySelector("fieldset.segments").disabled = $("mode").value === "none";
});

wireTools((problem) => setText("problem", problem));

listen((here) => {
	seen.here = here;
	changed();
}, {
	state(view) {
		seen.state = view;
		changed();
	},
	results(view) {
		seen.results = view;
		changed();
	},
	contest(view) {
		if (view.from === 0) {
			seen.turns = [];
		}
		seen.turns.push(...view.turns);
		seen.contest = view;
		if (view.stage === "FINISHED" && next) {
			start(next);
			next = null;
		}
		else if (OVER.includes(view.stage)) {
			next = null;
		}
		changed();
	},
	line(view) {
		seen.line = view;
		changed();
	},
});
