// What the application sends this page, over server-sent events. A browser tries again by
// itself when the connection breaks, but not when it was refused: that is done here.

const RETRY_MILLIS = 2000;

/**
 * Listens.
 * @param {(here: boolean) => void} onPresence told whether the application answers
 * @param {Object<string, (view: object) => void>} receivers told what happened, by the event's name
 */
export function listen(onPresence, receivers) {
	const source = new EventSource("lab/events");
	source.onopen = () => onPresence(true);
	source.onerror = () => {
		onPresence(false);
		if (source.readyState === EventSource.CLOSED) {
			setTimeout(() => listen(onPresence, receivers), RETRY_MILLIS);
		}
	};
	for (const [name, receive] of Object.entries(receivers)) {
		source.addEventListener(name, (event) => receive(JSON.parse(event.data)));
	}
}
