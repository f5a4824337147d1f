package io.github.zklock;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Main code, its messages and the documentation use the words of
 * {@code config/words.txt}.
 */
class WordsTests {

	private static final Path ROOT = Repository.root();

	private static final Pattern HUMP = Pattern.compile("([a-z0-9])([A-Z])");

	@Test
	void codeMessagesAndDocumentationUseTheWordsOfTheList() throws IOException {
		List<Rule> rules = rules();
		List<String> found = new ArrayList<>();
		try (Stream<Path> files = Repository.files(ROOT)) {
			for (Path file : files.filter(WordsTests::isRead).sorted().toList()) {
				found.addAll(find(rules, ROOT.relativize(file).toString(), Files.readAllLines(file)));
			}
		}
		assertThat(found).as("words that config/words.txt replaces").isEmpty();
	}

	@Test
	void canaryAnOldWordIsFoundInProseAndInNames() throws IOException {
		String file = "zk-lock-core/src/main/java/io/github/zklock/internal/Canary.java";
		assertThat(find(rules(), file, List.of("// Each mailbox", "int seatCount;", "// in its place", "// the queue")))
			.containsExactly(file + ":1: mailbox -> serial executor", file + ":2: seat -> lock node");
	}

	private static boolean isRead(Path file) {
		String path = ROOT.relativize(file).toString().replace('\\', '/');
		return path.endsWith(".md")
				|| (path.contains("src/main/") && (path.endsWith(".java") || path.endsWith(".json")));
	}

	private static List<String> find(List<Rule> rules, String file, List<String> lines) {
		String all = apart(String.join("\n", lines));
		List<Rule> here = rules.stream()
			.filter((rule) -> rule.in().matcher(file.replace('\\', '/')).find() && rule.old().matcher(all).find())
			.toList();
		List<String> found = new ArrayList<>();
		for (int i = 0; i < lines.size(); i++) {
			String apart = apart(lines.get(i));
			for (Rule rule : here) {
				String word = rule.find(lines.get(i), apart);
				if (word != null) {
					found.add(file + ":" + (i + 1) + ": " + word + " -> " + rule.say());
				}
			}
		}
		return found;
	}

	/** With the words of names apart. */
	private static String apart(String line) {
		return HUMP.matcher(line).replaceAll("$1 $2").replace('_', ' ');
	}

	private static List<Rule> rules() throws IOException {
		List<Rule> rules = new ArrayList<>();
		String in = "";
		for (String line : Files.readAllLines(ROOT.resolve("config/words.txt"))) {
			if (line.isBlank() || line.startsWith("#")) {
				continue;
			}
			String[] parts = line.split("\\s+(?:->|unless)\\s+");
			if (line.startsWith("in ")) {
				in = line.substring(3).trim();
			}
			else {
				assertThat(parts).as(line).hasSizeBetween(2, 3);
				rules.add(new Rule(Pattern.compile(in), pattern("\\b(?:" + parts[0] + ")\\b"), parts[1],
						(parts.length > 2) ? pattern(parts[2]) : null));
			}
		}
		return rules;
	}

	private static Pattern pattern(String text) {
		return Pattern.compile(text, Pattern.CASE_INSENSITIVE);
	}

	/**
	 * A line of the list.
	 *
	 * @param in which files it is for
	 * @param old what is not to be said
	 * @param say what to say instead
	 * @param unless what is removed from a line first, because it is right there; null
	 * for nothing
	 */
	private record Rule(Pattern in, Pattern old, String say, @Nullable Pattern unless) {

		@Nullable String find(String line, String apart) {
			String rest = (this.unless != null) ? apart(this.unless.matcher(line).replaceAll("")) : apart;
			var matcher = this.old.matcher(rest);
			return matcher.find() ? matcher.group() : null;
		}

	}

}
