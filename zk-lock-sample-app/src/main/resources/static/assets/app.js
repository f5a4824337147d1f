// The page: keeps what the application has sent, and shows it once a frame.

import { ask } from "./ask.js";
import { enable } from "./buttons.js";
import { HerdChart, TimelineChart } from "./charts.js";
import { count, millis, ratio, strategy } from "./format.js";
import { showNotes } from "./notes.js";
import { showQueue } from "./queue.js";
import { listen } from "./stream.js";
import { beside, showResults, showTurns } from "./tables.js";
import { showTools, wireTools } from "./tools.js";

const STAGES = { CONNECTING: "The clients connect", RUNNING: "Running", LEAVING: "The clients leave",
	CANCELLING: "Cancelling", FINISHED: "Finished", CANCELLED: "Cancelled", FAILED: "Failed" };

const OVER = ["FINISHED", "CANCELLED", "FAILED"];

const $ = (id) => document.getElementById(id);

const herd = new HerdChart();

const timeline = new TimelineChart();

const seen = { here: false, state: null, contest: null, turns: [], results: [], line: { standing: [], total: 0 } };

/** What to start when which contest has finished. */
let next = null;

/** Whether this page may still run a contest by itself. */
let mayStartFirst = true;

/** The application sends the contest that there is, if there is one, right after its state. */
const FIRST_AFTER_MILLIS = 500;

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
	showResults(beside(seen.results, seen.contest), seen.contest);
	showTurns(seen.turns);
	showNotes(seen.state?.notes ?? []);
	showTools(seen.state?.tools);
}

function showConnection() {
	const zooKeeper = seen.state?.zookeeper;
	if (seen.here && !zooKeeper) {
		return;
	}
	const connected = seen.here && zooKeeper?.state === "CONNECTED";
	$("connection").dataset.state = connected ? "connected" : "away";
	setText("connection-text", connection(zooKeeper, connected));
	$("connection").title = zooKeeper?.session ? `session ${zooKeeper.session}, time-out ${zooKeeper.sessionSeconds} s` : "";
	setText("away", whatIsAway(zooKeeper, connected));
	$("away").hidden = $("away").textContent === "";
	const ready = connected && !running();
	enable([$("start"), ready], [$("compare"), ready], [$("cancel"), seen.here && running()]);
}

function connection(zooKeeper, connected) {
	if (!seen.here) {
		return "No connection to the application";
	}
	return connected ? `ZooKeeper at ${zooKeeper.servers}` : "ZooKeeper is away";
}

function whatIsAway(zooKeeper, connected) {
	if (!seen.here) {
		return "The application does not answer. This page tries again by itself; what it shows may be old.";
	}
	return connected ? "" : `ZooKeeper is away: no server at ${zooKeeper.servers} answers. Nothing can be locked until one does; what is held now is lost when its session is over. This page goes on by itself.`;
}

function showContest() {
	const contest = seen.contest;
	if (!contest) {
		showQueue(seen.line, null);
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
	showQueue(seen.line, running() ? contest : null);
	const shown = { naive: [], sequential: [] };
	for (const result of beside(seen.results, contest)) {
		shown[result.label] = result.afterRelease;
	}
	if (locked && running()) {
		shown[contest.label] = afterRelease();
	}
	herd.show(shown.naive, shown.sequential);
	timeline.show(seen.turns, contest.label);
	$("live").dataset.label = contest.label;
}

function afterRelease() {
	const totals = seen.turns.filter((turn) => turn.entered !== undefined).map((turn) => turn.watchEvents);
	return totals.slice(1).map((total, i) => total - totals[i]);
}

/** Sets a text only if it is another one, so that a screen reader says it once. */
function setText(id, text) {
	if ($(id).textContent !== text) {
		$(id).textContent = text;
	}
}

async function start(form) {
	const { problem, answer } = await ask("POST", "lab/contest", form);
	setText("problem", problem);
	return answer?.contest;
}

function startNext() {
	if (next && seen.contest?.id === next.after && !running()) {
		if (seen.contest.stage === "FINISHED") {
			start(next.form);
		}
		next = null;
	}
}

function form(choice) {
	const fields = new URLSearchParams(new FormData($("contest-form")));
	for (const [name, value] of Object.entries(choice)) {
		fields.set(name, value);
	}
	return fields;
}

/** Runs a contest with each strategy, one after the other. */
async function compare(fields) {
	const second = new URLSearchParams(fields);
	second.set("strategy", "sequential");
	fields.set("strategy", "naive");
	const first = await start(fields);
	next = first ? { after: first, form: second } : null;
	startNext();
}

/** Shows a newcomer what there is to see, if nobody has run a contest in this application before. */
function startFirst() {
	if (mayStartFirst && seen.state?.zookeeper?.state === "CONNECTED") {
		mayStartFirst = false;
		setTimeout(() => {
			if (!seen.contest) {
				compare(form({ mode: "exclusive", clients: 12, sectionMillis: 5 }));
			}
		}, FIRST_AFTER_MILLIS);
	}
}

$("contest-form").addEventListener("submit", (event) => {
	event.preventDefault();
	next = null;
	start(form({ strategy: $("contest-form").elements.strategy.value }));
});

$("compare").addEventListener("click", async () => {
	if ($("contest-form").reportValidity()) {
		const mode = ($("mode").value === "none") ? "exclusive" : $("mode").value;
		await compare(form({ mode }));
	}
});

$("cancel").addEventListener("click", async () => {
	next = null;
	const { problem } = await ask("DELETE", "lab/contest");
	setText("problem", problem);
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
		startFirst();
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
		startNext();
		changed();
	},
	line(view) {
		seen.line = view;
		changed();
	},
});
