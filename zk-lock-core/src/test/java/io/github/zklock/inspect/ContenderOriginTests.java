package io.github.zklock.inspect;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which nodes say where a contender comes from.
 */
class ContenderOriginTests {

	private static final String ALL = "{\"id\":\"7\",\"application\":\"shop\",\"instance\":\"shop-2\",\"host\":\"b2\",\"pid\":\"311\"";

	@Test
	void aNodeOfOursSaysWhoItIs() {
		ContenderOrigin origin = ContenderOrigin.parse(ALL + ",\"thread\":\"main\",\"mode\":\"READ\"}");
		assertThat(origin).isNotNull();
		assertThat(origin.who()).isEqualTo("shop-2 (host b2, pid 311, thread main)");
	}

	@Test
	void whoAsksHasNoThread() {
		ContenderOrigin origin = ContenderOrigin.parse(ALL + ",\"ask\":\"1\"}");
		assertThat(origin).isNotNull();
		assertThat(origin.who()).isEqualTo("shop-2 (host b2, pid 311)");
	}

	@ParameterizedTest
	@ValueSource(strings = { "id", "application", "instance", "host", "pid" })
	void aNodeThatLacksWhatAllOfOursHaveIsAStrangers(String field) {
		assertThat(ContenderOrigin.parse(ALL.replace("\"" + field + "\"", "\"other\"") + "}")).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "311", "null", "true", "[\"311\"]", "\"\"", "\"b2:311\"", "\"-1\"",
			"\"99999999999999999999\"" })
	void aNodeWithAnotherKindOfProcessIsAStrangers(String pid) {
		assertThat(ContenderOrigin.parse(ALL.replace("\"311\"", pid) + "}")).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "{}", "[]", "10.0.0.1", "{\"id\":\"order-worker-7\"}",
			"{\"id\":\"order-worker-7\",\"host\":\"b2\",\"since\":\"2026-01-02T03:04:05Z\"}" })
	void otherTextIsAStrangers(String text) {
		assertThat(ContenderOrigin.parse(text)).isNull();
	}

}
