package io.github.zklock.sample.lab;

import java.io.IOException;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Contests that take long, and held locks, on the lab's page.
 */
class LabBrowserContestsIT extends LabBrowserFixture {

	@Test
	void twoHundredClientsShowTheHerd() throws IOException {
		browser.resize(1280, 1045);
		choose("exclusive", 200, 5);
		browser.press("compare");
		browser.awaitText("run-title", "Sequential, 200 clients");
		browser.await("half of the clients are done", (page) -> Integer.parseInt(progress("value")) >= 100);
		browser.screenshot(SCREENSHOTS.resolve("lab-running.png"));
		browser.awaitText("stage", "Finished");
		browser.await("both are side by side", (page) -> cells("Sequential") != null);
		assertThat(Double.parseDouble(cells("Naive")[1])).isGreaterThan(20);
		assertThat(Double.parseDouble(cells("Sequential")[1])).isLessThan(2);
		assertThat(highest(0)).isGreaterThan(50);
		assertThat(highest(1)).isLessThan(highest(0) / 5);
		assertThat(browser.text("done")).isEqualTo("200 of 200");
		assertThat(browser.text("sold-twice")).isEqualTo("0");
		browser.resize(1280, 1400);
		browser.screenshot(SCREENSHOTS.resolve("lab.png"));
		browser.colourScheme("dark");
		assertThat(background()).matches("rgb\\(\\d{1,2}, \\d{1,2}, \\d{1,2}\\)");
		browser.screenshot(SCREENSHOTS.resolve("lab-dark.png"));
		browser.colourScheme("light");
		assertThat(background()).matches("rgb\\(2\\d\\d, 2\\d\\d, 2\\d\\d\\)");
	}

	private static String progress(String property) {
		return browser.find("progress").getDomProperty(property);
	}

	private static String background() {
		return (String) browser.script("return getComputedStyle(document.body).backgroundColor");
	}

	private static double highest(int dataset) {
		return ((Number) browser.script(
				"return Math.max(...Chart.getChart('herd').data.datasets[arguments[0]].data.map((p) => p.y))", dataset))
			.doubleValue();
	}

	@Test
	void whatIsHeldByHandHoldsUpAllAndIsLostWithTheSession() throws IOException {
		browser.press("take");
		browser.awaitText("hand-stage", "It is held.");
		browser.awaitText("queue", "by hand holds");
		choose("exclusive", 10, 5);
		browser.press("start");
		browser.awaitText("run-title", "Sequential, 10 clients");
		browser.awaitText("queue-text", "10 wait");
		assertThat(browser.text("done")).isEqualTo("0 of 10");
		browser.screenshot(SCREENSHOTS.resolve("lab-by-hand.png"));
		browser.press("give-back");
		browser.awaitText("stage", "Finished");
		browser.press("take");
		browser.awaitText("hand-stage", "It is held.");
		browser.press("expire");
		browser.awaitText("hand-stage", "It is lost.");
		browser.awaitText("notes", "has ended; its locks are lost");
		assertThat(browser.find("give-back").isEnabled()).isFalse();
		browser.press("take");
		browser.awaitText("hand-stage", "It is held.");
		browser.press("give-back");
		browser.awaitText("queue-text", "Nobody holds the key");
	}

	@Test
	void aFrozenHolderIsOvertaken() {
		browser.press("freeze");
		browser.awaitText("frozen-stage", "It is frozen.");
		choose("exclusive", 7, 5);
		browser.press("start");
		browser.awaitText("run-title", "Sequential, 7 clients");
		browser.awaitText("stage", "Finished");
		browser.awaitText("notes", "isHeld() is false");
		browser.awaitText("notes", "refuses a write with");
		browser.await("it has gone", (page) -> browser.find("freeze").isEnabled());
	}

}
