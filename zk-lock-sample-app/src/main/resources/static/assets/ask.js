// What this page asks of the application.

/**
 * Sends a request.
 * @param {string} method the HTTP method
 * @param {string} path the path, relative to the page
 * @param {URLSearchParams} [form] the parameters
 * @returns {Promise<string>} what went wrong; empty if nothing did
 */
export async function ask(method, path, form) {
	try {
		const response = await fetch(path, { method, body: form });
		return response.ok ? "" : await problem(response);
	}
	catch {
		return "The application does not answer.";
	}
}

async function problem(response) {
	try {
		const { detail, errors } = await response.json();
		return errors ? errors.join(". ") : detail ?? `The application answered ${response.status}.`;
	}
	catch {
		return `The application answered ${response.status}.`;
	}
}
