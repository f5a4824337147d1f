// The dangerous buttons, which are there only if the application has them.

import { ask } from "./ask.js";
import { enable } from "./buttons.js";

const HAND = { NONE: "", QUEUED: "It is queued.", HELD: "It is held.", LOST: "It is lost. Take it again." };

const FROZEN = { NONE: "", CONNECTING: "It connects.", QUEUED: "It is queued.", HOLDING: "It holds the key.",
	FROZEN: "It is frozen.", AWAKE: "It is awake, and asks again." };

function button(id) {
	return document.getElementById(id);
}

function chosen() {
	return new URLSearchParams({ strategy: document.getElementById("contest-form").elements.strategy.value });
}

/**
 * Makes the buttons work.
 * @param {(problem: string) => void} report told what went wrong
 */
export function wireTools(report) {
	const press = (id, method, path, form) =>
		button(id).addEventListener("click", async () => {
			const { problem } = await ask(method, path, form?.());
			report(problem);
		});
	press("take", "PUT", "lab/tools/hand", chosen);
	press("give-back", "DELETE", "lab/tools/hand");
	press("expire", "POST", "lab/tools/expire-session");
	press("freeze", "PUT", "lab/tools/frozen-holder", chosen);
	press("let-go", "DELETE", "lab/tools/frozen-holder");
}

/**
 * Shows the state of the tools.
 */
export function showTools(tools) {
	button("tools").hidden = !tools;
	if (!tools) {
		return;
	}
	const inHand = tools.hand === "QUEUED" || tools.hand === "HELD";
	enable([button("take"), !inHand], [button("give-back"), inHand]);
	button("hand-stage").textContent = HAND[tools.hand];
	enable([button("freeze"), tools.frozen === "NONE"], [button("let-go"), tools.frozen !== "NONE"]);
	button("frozen-stage").textContent = FROZEN[tools.frozen];
}
