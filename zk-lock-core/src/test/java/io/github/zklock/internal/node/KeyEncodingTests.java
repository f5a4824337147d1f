package io.github.zklock.internal.node;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;

import org.apache.zookeeper.common.PathUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A key becomes one legal path segment, and comes back.
 */
class KeyEncodingTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			orders           | orders
			orders/42        | orders%2F42
			/                | %2F
			//               | %2F%2F
			.                | %2E
			..               | %2E%2E
			...              | ...
			a.b              | a.b
			zookeeper        | %7Aookeeper
			zookeepers       | zookeepers
			"a b"            | "a b"
			100%             | 100%25
			%2F              | %252F
			%~               | %25~
			ü                | %C3%BC
			日本             | %E6%97%A5%E6%9C%AC
			😀               | %F0%9F%98%80
			#id='x'          | #id='x'
			_c_x-lock-0000000001 | _c_x-lock-0000000001
			""")
	void encodesAsTheTableSays(String key, String segment) {
		assertThat(KeyEncoding.encode(key)).isEqualTo(segment);
		assertThat(KeyEncoding.decode(segment)).contains(key);
	}

	// What a class begins with may depend on the locale of that moment, so it is loaded
	// anew
	@ParameterizedTest
	@ValueSource(strings = { "fa-IR", "ar-EG", "tr-TR" })
	void isLoadedInEachLocale(String locale) throws Exception {
		URL classes = KeyEncoding.class.getProtectionDomain().getCodeSource().getLocation();
		Locale before = Locale.getDefault();
		Locale.setDefault(Locale.forLanguageTag(locale));
		try (URLClassLoader loader = new URLClassLoader(new URL[] { classes }, ClassLoader.getPlatformClassLoader())) {
			assertThat(
					loader.loadClass(KeyEncoding.class.getName()).getMethod("encode", String.class).invoke(null, "a/b"))
				.isEqualTo("a%2Fb");
		}
		finally {
			Locale.setDefault(before);
		}
	}

	@Test
	void encodesControlCharacters() {
		assertThat(KeyEncoding.encode("a\u0000b\n\u001f\u007f\u0085")).isEqualTo("a%00b%0A%1F%7F%C2%85");
	}

	@Test
	void everyEncodingIsALegalSegmentOfAtMost255Characters() {
		for (String key : samples()) {
			String segment = KeyEncoding.encode(key);
			PathUtils.validatePath("/" + segment);
			assertThat(segment).doesNotContain("/").hasSizeBetween(1, KeyEncoding.MAX_SEGMENT);
		}
	}

	@Test
	void everyEncodingOfAShortKeyIsReversible() {
		for (String key : samples()) {
			if (!KeyEncoding.encode(key).contains("%~")) {
				assertThat(KeyEncoding.decode(KeyEncoding.encode(key))).contains(key);
			}
		}
	}

	@Test
	void differentKeysHaveDifferentEncodings() {
		Set<String> keys = new HashSet<>(samples());
		assertThat(keys.stream().map(KeyEncoding::encode).distinct()).hasSize(keys.size());
	}

	@Test
	void aLongKeyKeepsAReadablePrefixAndADigest() {
		String key = "k".repeat(1024);
		assertThat(KeyEncoding.encode(key)).startsWith("k".repeat(189) + "%~").hasSize(255);
		assertThat(KeyEncoding.decode(KeyEncoding.encode(key))).isEmpty();
		assertThat(KeyEncoding.encode(key)).isNotEqualTo(KeyEncoding.encode("k".repeat(1023)));
	}

	@Test
	void aKeyOf255EncodedCharactersIsKeptWhole() {
		assertThat(KeyEncoding.encode("k".repeat(255))).isEqualTo("k".repeat(255));
		assertThat(KeyEncoding.encode("k".repeat(256))).contains("%~");
	}

	@Test
	void theDigestDoesNotCutAnEscapeInTwo() {
		for (int i = 0; i < 6; i++) {
			assertThat(KeyEncoding.encode("k".repeat(i) + "ü".repeat(200)))
				.matches("([^%]|%[0-9A-F]{2})*%~[0-9A-F]{64}");
		}
	}

	@Test
	void whatIsNotOfOurMakingIsNotDecoded() {
		for (String segment : List.of("%", "%2", "%zz", "a%2fb", "%41", "ü", "%FF", "zookeeper", ".", "..")) {
			assertThat(KeyEncoding.decode(segment)).as(segment).isEmpty();
		}
	}

	private static List<String> samples() {
		Random random = new Random(42);
		Set<String> keys = new HashSet<>(List.of("a", "a/", "/a", "a/b", "ab", "a%2Fb", ".", "..", "%2E", "zookeeper",
				"%7Aookeeper", "x".repeat(1024), "ü".repeat(512), "😀".repeat(512)));
		for (int i = 0; i < 2000; i++) {
			StringBuilder key = new StringBuilder();
			random.ints(1 + random.nextInt(60), 0, 0x2FFFF)
				.filter((point) -> point < 0xD800 || point > 0xDFFF)
				.map((point) -> random.nextBoolean() ? point % 128 : point)
				.forEach(key::appendCodePoint);
			if (!key.isEmpty()) {
				keys.add(key.toString());
			}
		}
		return List.copyOf(keys);
	}

}
