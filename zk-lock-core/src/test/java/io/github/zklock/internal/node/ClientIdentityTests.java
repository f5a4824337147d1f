package io.github.zklock.internal.node;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.UUID;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockMode;
import io.github.zklock.WaitingCaller;
import io.github.zklock.inspect.ContenderOrigin;
import io.github.zklock.inspect.HolderNote;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who we say we are in a node, and who is ours.
 */
class ClientIdentityTests {

	private final ClientIdentity identity = new ClientIdentity("bil\"ling", "b\\2", "host\n", 311,
			InstantSource.fixed(Instant.parse("2026-01-02T03:04:05Z")));

	@Test
	void aNodeCarriesAFlatJsonObject() {
		String id = this.identity.nextId();
		assertThat(new String(this.identity.describe(id, LockMode.READ, 0, "main", false, 0), StandardCharsets.UTF_8))
			.isEqualTo("{\"id\":\"" + id + "\",\"application\":\"bil\\\"ling\",\"instance\":\"b\\\\2\","
					+ "\"host\":\"host\\u000a\",\"pid\":\"311\",\"thread\":\"main\",\"mode\":\"READ\","
					+ "\"since\":\"2026-01-02T03:04:05Z\"}");
	}

	@Test
	void aCallerIsDescribedToTheOneForWhomItWaits() {
		assertThat(this.identity.asWaiter("orders", LockMode.READ, "main", Duration.ofSeconds(3)))
			.isEqualTo(new WaitingCaller("orders", LockMode.READ, "b\\2", "host\n", "311", "main",
					Duration.ofSeconds(3), null));
	}

	@Test
	void whatWasWrittenIsRead() {
		String id = this.identity.nextId();
		byte[] content = this.identity.describe(id, LockMode.READ, 0, "pool \"1\"", false, 0);
		assertThat(NodeContent.idIn(content)).isEqualTo(id);
		assertThat(NodeContent.who(content, "/x")).isEqualTo("b\\2 (host host?, pid 311, thread pool \"1\")");
	}

	@ParameterizedTest
	@ValueSource(strings = { "x", "\u0001", "\"", "\u20ac", "\ud83d\ude00" })
	void whatWasWrittenIsReadHoweverLongTheNamesAre(String letter) {
		String endless = letter.repeat(10_000);
		ClientIdentity named = new ClientIdentity(endless, endless, endless, Long.MAX_VALUE, InstantSource.system());
		String id = named.nextId();
		byte[] content = named.describe(id, LockMode.EXCLUSIVE, 0, endless, true, 0);
		assertThat(NodeContent.idIn(content)).isEqualTo(id);
		assertThat(NodeContent.who(content, "/x")).contains("pid " + Long.MAX_VALUE).contains("...");
		assertThat(new String(content, StandardCharsets.UTF_8)).doesNotContain("?");
	}

	@ParameterizedTest
	@CsvSource({ "x, 1024", "\", 900", "\\, 900", "\u00e9, 900", "\u20ac, 600" })
	void aTextIsCutWhereItsBytesAreTooMany(String letter, int most) {
		assertThat(written(letter.repeat(most))).isEqualTo(letter.repeat(most));
		assertThat(written(letter.repeat(most + 1))).isEqualTo(letter.repeat(most) + "...");
	}

	private String written(String reason) {
		byte[] content = this.identity.describe(Map.of("id", "1", "reason", reason));
		return HolderNote.parse(new String(content, StandardCharsets.UTF_8)).reason();
	}

	@ParameterizedTest
	@ValueSource(strings = { "x", "\u00e9", "\u20ac", "\ud83d\ude00" })
	void whatIsAskedIsReadHoweverLongTheNamesAre(String letter) {
		String endless = letter.repeat(10_000);
		ClientIdentity named = new ClientIdentity(endless, endless, endless, Long.MAX_VALUE, InstantSource.system());
		byte[] content = named.describe(Map.of("id", named.nextId(), "ask", named.nextId(), "reason", endless,
				"holderInstance", endless, "holderHost", endless, "holderPid", "" + Long.MAX_VALUE));
		HolderNote note = HolderNote.parse(new String(content, StandardCharsets.UTF_8));
		assertThat(note).isNotNull();
		assertThat(note.reason()).endsWith("...");
	}

	@Test
	void onlyANodeThatMayBeRetainedSaysSo() {
		String thread = "\",\"retain\":\"true";
		byte[] retained = this.identity.describe(this.identity.nextId(), LockMode.READ, 0, "main", true, 0);
		assertThat(new String(retained, StandardCharsets.UTF_8)).endsWith("Z\",\"retain\":\"true\"}");
		assertThat(NodeContent.mayBeRetained(retained)).isTrue();
		byte[] other = this.identity.describe(this.identity.nextId(), LockMode.READ, 0, thread, false, 0);
		assertThat(NodeContent.mayBeRetained(other)).isFalse();
		assertThat(NodeContent.mayBeRetained(null)).isFalse();
		assertThat(NodeContent.mayBeRetained("10.0.0.1".getBytes(StandardCharsets.UTF_8))).isFalse();
		assertThat(NodeContent.mayBeRetained(new byte[10_000])).isFalse();
	}

	@ParameterizedTest
	@CsvSource({ "1500000, 1500, 1500000", "1, 1, 1000", "9223372036854775807, 999999999, 999999999000" })
	void aNodeSaysHowLongTheServersTakeToAnswerAWrite(long nanos, String said, long read) {
		byte[] content = this.identity.describe(this.identity.nextId(), LockMode.WRITE, 0, "main", false, nanos);
		assertThat(new String(content, StandardCharsets.UTF_8)).endsWith("Z\",\"writeMicros\":\"" + said + "\"}");
		assertThat(NodeContent.writeNanos(content)).isEqualTo(read);
	}

	@ParameterizedTest
	@ValueSource(strings = { "10.0.0.1", "{}", "{\"writeMicros\":\"0\"}", "{\"writeMicros\":\"-5\"}",
			"{\"writeMicros\":\"1000000000\"}", "{\"writeMicros\":\"1e3\"}", "{\"writeMicros\":\"\u0665\"}" })
	void whatIsNoTimeSaysNothingOfWrites(String content) {
		assertThat(NodeContent.writeNanos(content.getBytes(StandardCharsets.UTF_8))).isEqualTo(Long.MAX_VALUE);
	}

	@Test
	void aNodeWithoutDataSaysNothingOfWrites() {
		assertThat(NodeContent.writeNanos(null)).isEqualTo(Long.MAX_VALUE);
		assertThat(NodeContent.writeNanos(new byte[10_000])).isEqualTo(Long.MAX_VALUE);
	}

	@Test
	void idsAreDifferentUuidsWithTheClientsHalfInCommon() {
		String one = this.identity.nextId();
		String two = this.identity.nextId();
		assertThat(one).isNotEqualTo(two);
		assertThat(UUID.fromString(one).getMostSignificantBits())
			.isEqualTo(UUID.fromString(two).getMostSignificantBits());
		assertThat(this.identity.isOurs(one)).isTrue();
	}

	@Test
	void theClientIsInTheIdAndInTheNameOfEachOfItsContenders() {
		String id = this.identity.nextId();
		String name = LockNodeName.prefix(id, LockMode.READ, 0) + "0000000001";
		assertThat(ContenderOrigin.clientIn(id)).isEqualTo(this.identity.idPrefix());
		assertThat(ClientIdentity.clientIn(name)).isEqualTo(this.identity.idPrefix());
		assertThat(ClientIdentity.contenderIn(name)).isEqualTo(id);
		assertThat(ContenderOrigin.clientIn("7")).isEqualTo("7");
		assertThat(ClientIdentity.clientIn(LockNodeName.prefix("7", LockMode.READ, 0) + "0000000001")).isNull();
	}

	@Test
	void anotherClientsIdIsNotOurs() {
		ClientIdentity other = new ClientIdentity("billing", "b2", "host", 311, InstantSource.system());
		assertThat(this.identity.isOurs(other.nextId())).isFalse();
		assertThat(this.identity.isOurs(null)).isFalse();
	}

	@Test
	void foreignContentIsDescribedByItsPath() {
		assertThat(NodeContent.who(null, "/x")).isEqualTo("the node /x");
		assertThat(NodeContent.who("10.0.0.1".getBytes(StandardCharsets.UTF_8), "/x")).isEqualTo("the node /x");
		assertThat(NodeContent.idIn(new byte[] { (byte) 0xff, 0, 34 })).isNull();
	}

}
