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
