// Numbers and texts for people.

const whole = new Intl.NumberFormat("en");

const oneDigit = new Intl.NumberFormat("en", { maximumFractionDigits: 1, minimumFractionDigits: 1 });

export function count(value) {
	return whole.format(value);
}

export function ratio(value) {
	return oneDigit.format(value);
}

export function millis(value) {
	return (value < 1000) ? `${oneDigit.format(value)} ms` : `${(value / 1000).toFixed(2)} s`;
}

export function strategy(label) {
	return { naive: "Naive", sequential: "Sequential", none: "No lock" }[label];
}

/**
 * Returns whether two contests differ in nothing but what is to be compared: the strategy, or that there was no lock.
 */
export function comparable(one, other) {
	return one.clients === other.clients && one.sectionMillis === other.sectionMillis
		&& (one.mode === other.mode || one.label === "none" || other.label === "none");
}

/**
 * Says in a few words under which conditions a contest is held.
 */
export function conditions(contest) {
	const mode = { EXCLUSIVE: ", exclusive", WRITE: ", write" }[contest.mode] ?? "";
	return `${count(contest.clients)} clients, ${contest.sectionMillis} ms${mode}`;
}

/**
 * Makes an element. Texts are texts, whatever they look like.
 */
export function element(name, text, className) {
	const made = document.createElement(name);
	made.textContent = text;
	if (className) {
		made.className = className;
	}
	return made;
}
