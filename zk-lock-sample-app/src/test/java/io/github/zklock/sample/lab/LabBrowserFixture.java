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
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;
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
abstract class LabBrowserFixture {

	static final Path SCREENSHOTS = Path.of(System.getProperty("lab.screenshots", Path.of("target", "lab").toString()));

	static TestingServer server;

	static Browser browser;

	static boolean seenFirst;

	@LocalServerPort
	int port;

	@Autowired
	Lab lab;

	@BeforeAll
	static void start() throws Exception {
		Assumptions.assumeTrue(Browser.isAvailable() || "true".equals(System.getenv("CI")),
				"The page is shown by chromium and chromedriver, which are not installed");
		// Ticks of a second, and as many connections as there are
		server = new TestingServer(new InstanceSpec(null, -1, -1, -1, true, -1, 1000, 0), true);
		browser = Browser.start();
		seenFirst = false;
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

	static String[] cells(String strategy) {
		for (WebElement row : browser.driver().findElements(By.cssSelector("#results tr"))) {
			if (row.getText().startsWith(strategy)) {
				return row.findElements(By.tagName("td")).stream().map(WebElement::getText).toArray(String[]::new);
			}
		}
		return null;
	}

	static void choose(String mode, int clients, int sectionMillis) {
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
