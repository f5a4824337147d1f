package io.github.zklock.sample.lab;

import java.io.IOException;

import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.interactions.Actions;
import org.springframework.beans.factory.annotation.Autowired;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the lab's page shows, and how it is used.
 */
class LabBrowserIT extends LabBrowserFixture {

	@Autowired
	private Feed feed;

	@Test
	void onlyTheFirstPageRunsContestsByItself() {
		assertThat(seenFirst).isTrue();
		ContestRun last = this.lab.current();
		browser.open("http://localhost:" + this.port + "/");
		browser.awaitText("connection-text", "ZooKeeper at");
		browser.await("a first contest would have begun",
				(page) -> ((Number) browser.script("return performance.now()")).doubleValue() > 1500);
		assertThat(this.lab.current()).isSameAs(last);
		assertThat(browser.text("stage")).startsWith("Finished");
	}

	@Test
	void whatCannotBeComparedIsNotPutSideBySide() {
		contest("sequential", 4, 5);
		contest("naive", 3, 5);
		browser.await("only the naive one is shown", (page) -> cells("Naive") != null && cells("Sequential") == null);
		assertThat(points(1)).isZero();
		contest("sequential", 3, 5);
		browser.await("both are side by side", (page) -> cells("Naive") != null && cells("Sequential") != null);
		assertThat(browser.text("results-of")).contains("3 clients, 5 ms");
		assertThat(points(1)).isPositive();
	}

	@Test
	void whatRunsHasTheColourOfItsStrategy() {
		contest("naive", 3, 5);
		assertThat(browser.script("return getComputedStyle(document.getElementById('run-title')).color"))
			.isEqualTo("rgb(192, 90, 18)");
		assertThat(browser.script("return Chart.getChart('timeline').data.datasets[0].borderColor"))
			.isEqualTo("#c05a12");
		contest("sequential", 3, 5);
		assertThat(browser.script("return getComputedStyle(document.getElementById('run-title')).color"))
			.isEqualTo("rgb(31, 95, 168)");
	}

	private static void contest(String strategy, int clients, int sectionMillis) {
		choose("exclusive", clients, sectionMillis);
		browser.find("contest-form").findElement(By.cssSelector("[value=" + strategy + "] + span")).click();
		browser.press("start");
		browser.awaitText("run-title",
				(strategy.equals("naive") ? "Naive, " : "Sequential, ") + clients + " clients, " + sectionMillis);
		browser.awaitText("stage", "Finished");
		browser.await("nothing runs", (page) -> browser.find("start").isEnabled());
	}

	private static long points(int dataset) {
		return (Long) browser.script("return Chart.getChart('herd').data.datasets[arguments[0]].data.length", dataset);
	}

	@Test
	void withoutALockTicketsAreSoldTwice() throws IOException {
		choose("none", 20, 20);
		browser.press("start");
		browser.awaitText("run-title", "No lock, 20 clients");
		browser.awaitText("stage", "Finished");
		assertThat(Integer.parseInt(browser.text("sold-twice"))).isPositive();
		assertThat(browser.find("sold-twice").getDomAttribute("class")).isEqualTo("bad");
		browser.screenshot(SCREENSHOTS.resolve("lab-without-lock.png"));
	}

	@Test
	void aContestIsCancelled() {
		choose("exclusive", 20, 1000);
		browser.press("start");
		browser.await("somebody holds the key",
				(page) -> !page.findElements(By.cssSelector("#queue .holds")).isEmpty());
		browser.press("cancel");
		browser.awaitText("stage", "Cancelled");
		browser.awaitText("queue-text", "Nobody holds the key");
		assertThat(browser.find("start").isEnabled()).isTrue();
	}

	@Test
	void thePageSaysThatZooKeeperIsAwayAndGoesOnWhenItIsBack() throws Exception {
		server.stop();
		browser.awaitText("away", "ZooKeeper is away");
		browser.awaitText("connection-text", "ZooKeeper is away");
		assertThat(browser.find("start").isEnabled()).isFalse();
		browser.screenshot(SCREENSHOTS.resolve("lab-away.png"));
		server.restart();
		browser.awaitText("connection-text", "ZooKeeper at");
		assertThat(browser.find("away").isDisplayed()).isFalse();
		choose("exclusive", 3, 5);
		browser.press("start");
		browser.awaitText("run-title", "Sequential, 3 clients");
		browser.awaitText("stage", "Finished");
	}

	@Test
	void thePageSaysThatTheApplicationIsAwayAndGoesOnWhenItIsBack() {
		this.feed.stop();
		browser.awaitText("away", "The application does not answer");
		assertThat(browser.find("start").isEnabled()).isFalse();
		this.feed.start();
		browser.awaitText("connection-text", "ZooKeeper at");
		assertThat(browser.find("away").isDisplayed()).isFalse();
		assertThat(browser.complaints()).allMatch((complaint) -> complaint.contains("503"));
	}

	@Test
	void theKeyboardIsEnough() {
		press(Keys.TAB);
		assertThat(focused().getText()).isEqualTo("Skip to what happens");
		press(Keys.TAB, Keys.ARROW_RIGHT, Keys.TAB, Keys.TAB);
		assertThat(focused().getDomAttribute("id")).isEqualTo("clients");
		assertThat(browser.script("return getComputedStyle(document.activeElement).outlineStyle")).isEqualTo("solid");
		press(Keys.chord(Keys.CONTROL, "a"), "4", Keys.TAB, Keys.TAB);
		assertThat(focused().getDomAttribute("id")).isEqualTo("start");
		press(Keys.ENTER);
		browser.awaitText("run-title", "Naive, 4 clients");
		browser.awaitText("stage", "Finished");
		browser.await("the focus is on the button again", (page) -> "start".equals(focused().getDomAttribute("id")));
	}

	private static void press(CharSequence... keys) {
		for (CharSequence key : keys) {
			new Actions(browser.driver()).sendKeys(key).perform();
		}
	}

	private static WebElement focused() {
		return browser.driver().switchTo().activeElement();
	}

	@Test
	void onANarrowScreenNothingSticksOut() throws IOException {
		browser.resize(360, 780);
		choose("exclusive", 30, 5);
		browser.press("start");
		browser.awaitText("run-title", "30 clients");
		browser.awaitText("stage", "Finished");
		assertThat((Long) browser.script("return document.documentElement.scrollWidth")).isLessThanOrEqualTo(360);
		assertThat((Long) browser.script(
				"return [...document.querySelectorAll('body *')].filter((e) => !e.closest('.scroll') && !e.classList.contains('skip') && e.getBoundingClientRect().right > 360).length"))
			.isZero();
		browser.resize(360, 2900);
		browser.screenshot(SCREENSHOTS.resolve("lab-narrow.png"));
	}

}
