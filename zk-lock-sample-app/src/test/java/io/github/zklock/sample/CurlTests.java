package io.github.zklock.sample;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.ActiveProfiles;

import io.github.zklock.sample.Readme.Block;
import io.github.zklock.sample.shop.TicketShop;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the lines with curl that pages show, from top to bottom, and compares the answers.
 * Those that end in jq measure something, so they differ each time.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT, properties = "shop.lock-timeout=30s")
@ActiveProfiles("lab")
class CurlTests {

	private static final Pattern EXAMPLE = Pattern.compile("(?m)^\\$ (curl [^|\\n]+)\\n(.+)$");

	private static final Pattern TOKEN = Pattern.compile("(fencing ?token\\D{1,3})\\d+", Pattern.CASE_INSENSITIVE);

	@Autowired
	private TicketShop shop;

	@LocalServerPort
	private int port;

	@BeforeAll
	static void findCurl() {
		Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/curl")) || "true".equals(System.getenv("CI")),
				"There is no curl here");
	}

	@ParameterizedTest
	@ValueSource(strings = { "docs/sample.md", "docs/fencing.md" })
	void theAnswersAreThoseOfThePage(String page) throws Exception {
		this.shop.replaceStock("concert", 100);
		List<String> shown = new ArrayList<>();
		List<String> seen = new ArrayList<>();
		for (Block block : Readme.read(page).blocks("shell")) {
			Matcher example = EXAMPLE.matcher(block.text());
			while (example.find()) {
				shown.add(example.group(1) + "\n" + withoutTokens(example.group(2)));
				seen.add(example.group(1) + "\n" + withoutTokens(run(example.group(1))));
			}
		}
		assertThat(shown).hasSizeGreaterThan(3);
		assertThat(seen).isEqualTo(shown);
	}

	private static String withoutTokens(String answer) {
		return TOKEN.matcher(answer).replaceAll("$1N");
	}

	private String run(String command) throws IOException {
		Process curl = new ProcessBuilder("bash", "-c",
				command.replace("localhost:8080", "localhost:" + this.port) + " 2>/dev/null")
			.start();
		return new String(curl.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
	}

}
