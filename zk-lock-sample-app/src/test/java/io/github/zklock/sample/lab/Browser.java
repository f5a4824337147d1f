package io.github.zklock.sample.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;

import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.ExpectedCondition;
import org.openqa.selenium.support.ui.WebDriverWait;
import org.springframework.util.FileSystemUtils;

/**
 * Debian's chromium with a new profile, and nothing that would ask the network for more.
 */
final class Browser implements AutoCloseable {

	private static final Path CHROMIUM = Path.of("/usr/bin/chromium");

	private static final Path DRIVER = Path.of("/usr/bin/chromedriver");

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final Path profile;

	private final ChromeDriver driver;

	private Browser(Path profile, ChromeDriver driver) {
		this.profile = profile;
		this.driver = driver;
	}

	static boolean isAvailable() {
		return Files.isExecutable(CHROMIUM) && Files.isExecutable(DRIVER);
	}

	static Browser start() throws IOException {
		Path profile = Files.createTempDirectory("zk-lock-chromium");
		ChromeOptions options = new ChromeOptions();
		options.setBinary(CHROMIUM.toFile());
		options.addArguments("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
				"--disable-background-networking", "--disable-component-update", "--disable-sync",
				"--disable-dev-shm-usage", "--window-size=1280,900", "--user-data-dir=" + profile);
		LoggingPreferences logs = new LoggingPreferences();
		logs.enable(LogType.BROWSER, Level.ALL);
		options.setCapability("goog:loggingPrefs", logs);
		// With a driver that is named nothing looks for one
		ChromeDriverService service = new ChromeDriverService.Builder().usingDriverExecutable(DRIVER.toFile())
			.usingAnyFreePort()
			.withEnvironment(Map.of("SE_OFFLINE", "true", "SE_AVOID_STATS", "true"))
			.build();
		return new Browser(profile, new ChromeDriver(service, options));
	}

	ChromeDriver driver() {
		return this.driver;
	}

	void open(String address) {
		this.driver.get(address);
	}

	WebElement find(String id) {
		return this.driver.findElement(By.id(id));
	}

	String text(String id) {
		return find(id).getText();
	}

	Object script(String script, Object... arguments) {
		return this.driver.executeScript(script, arguments);
	}

	void await(String what, ExpectedCondition<Boolean> condition) {
		new WebDriverWait(this.driver, PATIENCE, Duration.ofMillis(100))
			.withMessage(() -> what + "; the page says: "
					+ this.driver.findElement(By.tagName("body")).getText().replaceAll("\\s+", " "))
			// The page draws a row anew while it is read
			.ignoring(StaleElementReferenceException.class)
			.until(condition);
	}

	void awaitText(String id, String part) {
		await("#" + id + " says '" + part + "'", (page) -> text(id).contains(part));
	}

	void press(String id) {
		await("#" + id + " can be pressed", (page) -> find(id).isEnabled() && find(id).isDisplayed());
		find(id).click();
	}

	void resize(int width, int height) {
		this.driver.executeCdpCommand("Emulation.setDeviceMetricsOverride",
				Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 600));
	}

	void colourScheme(String scheme) {
		this.driver.executeCdpCommand("Emulation.setEmulatedMedia",
				Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
	}

	void screenshot(Path file) throws IOException {
		Files.createDirectories(file.getParent());
		Files.write(file, this.driver.getScreenshotAs(OutputType.BYTES));
	}

	/**
	 * Returns what the console has complained of since the last call.
	 * @return the complaints
	 */
	List<String> complaints() {
		return this.driver.manage()
			.logs()
			.get(LogType.BROWSER)
			.getAll()
			.stream()
			.filter((entry) -> entry.getLevel().intValue() >= Level.WARNING.intValue())
			.map(LogEntry::getMessage)
			.toList();
	}

	@Override
	public void close() throws IOException {
		this.driver.quit();
		FileSystemUtils.deleteRecursively(this.profile);
	}

}
