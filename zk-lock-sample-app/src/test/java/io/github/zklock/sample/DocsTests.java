package io.github.zklock.sample;

import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.github.zklock.sample.Readme.Block;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holds the snippets of pages against the code.
 */
class DocsTests {

	static Stream<Block> snippets() {
		return Stream
			.of("docs/adapters.md", "docs/boot-3.5.md", "docs/fencing.md", "docs/leader-election.md", "docs/testing.md")
			.map(Readme::read)
			.map((page) -> page.blocks("java"))
			.flatMap(List::stream);
	}

	@ParameterizedTest
	@MethodSource("snippets")
	void everySnippetIsARegionOfTestedCode(Block snippet) {
		assertThat(snippet.file()).as("the region that is shown here:%n%s", snippet.text()).isNotNull();
		assertThat(snippet.text()).isEqualTo(snippet.source());
	}

}
