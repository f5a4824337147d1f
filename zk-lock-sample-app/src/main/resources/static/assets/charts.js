// The two plots. Their colours are those of the style sheet, in light and in dark.

const GAP = { x: NaN, y: NaN };

function colour(name) {
	return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function axis(title) {
	return { type: "linear", beginAtZero: true, border: { display: false },
		title: { display: true, text: title }, ticks: { maxTicksLimit: 6, precision: 0 } };
}

function plot(id, datasets, xTitle, yTitle) {
	return new Chart(document.getElementById(id), {
		type: "line",
		data: { datasets },
		options: {
			animation: false,
			parsing: false,
			normalized: true,
			maintainAspectRatio: false,
			events: [],
			elements: { point: { radius: 0 } },
			plugins: { legend: { display: false }, tooltip: { enabled: false } },
			scales: { x: axis(xTitle), y: axis(yTitle) },
		},
	});
}

function paint(chart, colours) {
	chart.data.datasets.forEach((dataset, i) => dataset.borderColor = colour(colours[i]));
	for (const scale of Object.values(chart.options.scales)) {
		scale.ticks.color = scale.title.color = colour("muted");
		scale.grid = { color: colour("line") };
	}
	chart.update();
}

function onSchemeChange(action) {
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", action);
}

/**
 * Plots how many watch events followed each release.
 */
export class HerdChart {

	#chart = plot("herd", [{ data: [], borderWidth: 2 }, { data: [], borderWidth: 2 }], "release", "watch events");

	constructor() {
		this.#paint();
		onSchemeChange(() => this.#paint());
	}

	#paint() {
		paint(this.#chart, ["naive", "sequential"]);
	}

	show(naive, sequential) {
		const data = this.#chart.data.datasets;
		data[0].data = naive.map((y, i) => ({ x: i + 1, y }));
		data[1].data = sequential.map((y, i) => ({ x: i + 1, y }));
		this.#chart.update();
	}

}

/**
 * Plots when each client waited and held.
 */
export class TimelineChart {

	#label = "sequential";

	#chart = plot("timeline",
		[{ data: [], borderWidth: 3, borderCapStyle: "square" }, { data: [], borderWidth: 1 }], "milliseconds", "client");

	constructor() {
		this.#chart.options.scales.y.reverse = true;
		this.#paint();
		onSchemeChange(() => this.#paint());
	}

	#paint() {
		paint(this.#chart, [this.#label, "waits"]);
	}

	show(turns, label) {
		const served = turns.filter((turn) => turn.entered !== undefined).sort((a, b) => a.entered - b.entered);
		const data = this.#chart.data.datasets;
		data[0].data = served.flatMap((turn, i) => [{ x: turn.entered, y: i + 1 }, { x: turn.left, y: i + 1 }, GAP]);
		data[1].data = served.flatMap((turn, i) => [{ x: turn.asked, y: i + 1 }, { x: turn.entered, y: i + 1 }, GAP]);
		if (label === this.#label) {
			this.#chart.update();
		}
		else {
			this.#label = label;
			this.#paint();
		}
	}

}

Chart.defaults.font.family = "system-ui, sans-serif";
