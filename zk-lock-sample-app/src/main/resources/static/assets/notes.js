// What happened, in words.

import { element } from "./format.js";

const MAX_NOTES = 30;

let newestShown = 0;

/**
 * Shows what happened. What is there already stays, so that a screen reader says the news alone.
 * @param {{number: number, at: string, text: string}[]} notes the latest, in their order
 */
export function showNotes(notes) {
	const list = document.getElementById("notes");
	const newest = notes.at(-1)?.number ?? 0;
	if (newest < newestShown) {
		// The application was started again
		newestShown = 0;
	}
	if (newestShown === 0 && newest > 0) {
		list.replaceChildren();
	}
	for (const note of notes.filter(({ number }) => number > newestShown)) {
		list.prepend(noteItem(note));
	}
	while (list.children.length > MAX_NOTES) {
		list.lastElementChild.remove();
	}
	newestShown = newest;
}

function noteItem(note) {
	const item = document.createElement("li");
	const time = element("time", new Date(note.at).toLocaleTimeString("en-GB"));
	time.dateTime = note.at;
	item.append(time, note.text);
	return item;
}
