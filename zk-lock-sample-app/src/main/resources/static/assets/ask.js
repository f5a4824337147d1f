// What this page asks of the application.

/**
 * Sends a request.
 * @param {string} method the HTTP method
 * @param {string} path the path, relative to the page
 * @param {URLSearchParams} [form] the parameters
 * @returns {Promise<{problem: string, answer: object}>} what went wrong, empty if nothing did; and what came back
 */
export async function ask(method, path, form) {
	try {
		const response = await fetch(path, { method, body: form });
		const text = await response.text();
		return response.ok ? { problem: "", answer: text && JSON.parse(text) }
			: { problem: explain(response.status, text), answer: null };
	}
	catch {
		return { problem: "The application does not answer.", answer: null };
	}
}

function explain(status, text) {
	try {
		const { detail, errors } = JSON.parse(text);
		return errors ? errors.join(". ") : detail ?? `The application answered ${status}.`;
	}
	catch {
		return `The application answered ${status}.`;
	}
}
