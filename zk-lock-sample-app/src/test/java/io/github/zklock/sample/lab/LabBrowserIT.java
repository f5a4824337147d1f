package io.github.zklock.sample.lab;

import java.io.IOException;
import java.nio.file.Path;

import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.interactions.Actions;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The lab's page in a real browser. The screenshots of the documentation are made here:
 * {@code -Dlab.screenshots=../docs/lab} says where they go to.
 */
@Tag("slow")
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
@ActiveProfiles("lab")
@DirtiesContext
class LabBrowserIT {

	private static final Path SCREENSHOTS = Path
		.of(System.getProperty("lab.screenshots", Path.of("target", "lab").toString()));

	private static TestingServer server;

	private static Browser browser;

	private static boolean seenFirst;

	@LocalServerPort
	private int port;

	@Autowired
	private Lab lab;

	@Autowired
	private Feed feed;

	@BeforeAll
	static void start() throws Exception {
		Assumptions.assumeTrue(Browser.isAvailable() || "true".equals(System.getenv("CI")),
				"The page is shown by chromium and chromedriver, which are not installed");
		// Ticks of a second, and as many connections as there are
		server = new TestingServer(new InstanceSpec(null, -1, -1, -1, true, -1, 1000, 0), true);
		browser = Browser.start();
	}

	@AfterAll
	static void stop() throws IOException {
		if (browser != null) {
			browser.close();
		}
		if (server != null) {
			server.close();
		}
	}

	@DynamicPropertySource
	static void useTheServer(DynamicPropertyRegistry registry) {
		registry.add("zk-lock.connect-string", () -> server.getConnectString());
	}

	@BeforeEach
	void open() {
		browser.resize(1280, 900);
		browser.colourScheme("light");
		browser.open("http://localhost:" + this.port + "/");
		browser.awaitText("connection-text", "ZooKeeper at");
		if (!seenFirst) {
			awaitFirstContests();
			seenFirst = true;
		}
		browser.await("nothing runs", (page) -> browser.find("start").isEnabled());
	}

	/** The first page of the application runs two contests by itself. */
	private static void awaitFirstContests() {
		assertThat(browser.text("intro")).contains("Naive, then sequential");
		browser.awaitText("run-title", "Naive, 12 clients, 5 ms");
		browser.awaitText("run-title", "Sequential, 12 clients, 5 ms");
		browser.awaitText("stage", "Finished");
		browser.await("both are side by side", (page) -> cells("Naive") != null && cells("Sequential") != null);
		assertThat(browser.text("problem")).isEmpty();
	}

	@AfterEach
	void leaveNothing() {
		assertThat(browser.complaints()).isEmpty();
		this.lab.cancel();
		await().until(() -> this.lab.current() == null || this.lab.current().isOver());
	}

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

	private static String[] cells(String strategy) {
		for (WebElement row : browser.driver().findElements(By.cssSelector("#results tr"))) {
			if (row.getText().startsWith(strategy)) {
				return row.findElements(By.tagName("td")).stream().map(WebElement::getText).toArray(String[]::new);
			}
		}
		return null;
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

	private static void choose(String mode, int clients, int sectionMillis) {
		browser.find("mode").findElement(By.cssSelector("[value=" + mode + "]")).click();
		fill("clients", clients);
		fill("section", sectionMillis);
	}

	private static void fill(String id, int value) {
		WebElement field = browser.find(id);
		field.clear();
		field.sendKeys(Integer.toString(value));
	}

}
