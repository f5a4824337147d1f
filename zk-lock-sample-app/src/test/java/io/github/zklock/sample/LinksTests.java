package io.github.zklock.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Follows the links from page to page.
 */
class LinksTests {

	private static final Pattern CODE = Pattern.compile("(?ms)^```.*?^```|`[^`\\n]*`");

	private static final Pattern LINK = Pattern.compile("]\\((?!https?:)(([^)#]*)(?:#([^)]*))?)\\)");

	private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

	static List<Path> pages() throws IOException {
		try (Stream<Path> docs = Files.walk(Readme.ROOT.resolve("docs")); Stream<Path> root = Files.list(Readme.ROOT)) {
			return Stream.concat(docs, root).filter((file) -> file.toString().endsWith(".md")).sorted().toList();
		}
	}

	@ParameterizedTest
	@MethodSource("pages")
	void everyLinkLeadsSomewhere(Path page) {
		assertThat(brokenLinks(page)).isEmpty();
	}

	@Test
	void brokenLinksAreFound(@TempDir Path directory) throws IOException {
		Path page = Files.writeString(directory.resolve("page.md"), """
				# One page
				[here](#one-page), [itself](page.md#one-page), [elsewhere](https://example.com/nothing), `[code](no.md)`
				[no page](no.md), [no heading](#two-pages)
				""");
		assertThat(brokenLinks(page)).containsExactly("no.md", "#two-pages");
	}

	private static List<String> brokenLinks(Path page) {
		return LINK.matcher(withoutCode(page)).results().filter((link) -> {
			Path target = link.group(2).isEmpty() ? page : page.resolveSibling(link.group(2)).normalize();
			return !Files.exists(target) || (link.group(3) != null && !anchors(target).contains(link.group(3)));
		}).map((link) -> link.group(1)).toList();
	}

	// As GitHub makes them
	private static List<String> anchors(Path page) {
		return HEADING.matcher(Readme.text(page).replaceAll("(?ms)^```.*?^```", ""))
			.results()
			.map((heading) -> heading.group(1).toLowerCase(Locale.ROOT))
			.map((heading) -> heading.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
			.toList();
	}

	private static String withoutCode(Path page) {
		return CODE.matcher(Readme.text(page)).replaceAll("");
	}

}
