package io.github.zklock.aop;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.github.zklock.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A key whose text is not written as it is meant is reported at start, with the form that
 * works.
 */
@ExtendWith(OutputCaptureExtension.class)
class KeyMistakeTests {

	@Test
	void textWithArgumentsIsOfferedAsTemplate() {
		assertThat(LockedBeans.mistake(Joined.class).getRemedy()).startsWith("Write \"order-#{#id}\"");
		assertThat(LockedBeans.mistake(JoinedTwice.class).getRemedy())
			.startsWith("Write \"order-#{#id}/#{#other.bytes}\"");
		assertThat(LockedBeans.mistake(JoinedAfterAt.class).getRemedy()).startsWith("Write \"order@#{#id}\"");
	}

	@Test
	void textWithoutArgumentsIsOfferedInQuotes() {
		assertThat(LockedBeans.mistake(Mail.class).getRemedy()).startsWith("Write \"'mail@host'\"")
			.contains("order-#{#id}");
	}

	@Test
	void expressionsAndUnknownNamesAreNotOfferedAsText() {
		assertThat(LockedBeans.mistake(Unfinished.class).getRemedy()).startsWith("Correct the expression");
		assertThat(LockedBeans.mistake(UnknownName.class).getRemedy()).startsWith("Correct the expression");
	}

	@Test
	void argumentInBracesWithoutHashIsWarnedOf(CapturedOutput output) {
		LockedBeans.of(Braces.class).close();
		assertThat(output).containsOnlyOnce("key = \"order-{id}\" is plain text")
			.contains("Braces.run(String, String)")
			.contains("write \"order-#{#id}\"");
	}

	@Test
	void nameOfAnArgumentIsWarnedOf(CapturedOutput output) {
		LockedBeans.of(Name.class).close();
		assertThat(output).containsOnlyOnce("key = \"id\" is plain text").contains("write \"#id\"");
	}

	@Test
	void otherPlainTextIsNotWarnedOf(CapturedOutput output) {
		LockedBeans.of(Plain.class).close();
		assertThat(output).doesNotContain("is plain text");
	}

	static class Joined {

		@DistributedLock("order-#id")
		public void run(String id, String other) {
		}

	}

	static class JoinedTwice {

		@DistributedLock("order-#id/#other.bytes")
		public void run(String id, String other) {
		}

	}

	static class JoinedAfterAt {

		@DistributedLock("order@#id")
		public void run(String id, String other) {
		}

	}

	static class Mail {

		@DistributedLock("mail@host")
		public void run(String id, String other) {
		}

	}

	static class Unfinished {

		@DistributedLock("#id+")
		public void run(String id, String other) {
		}

	}

	static class UnknownName {

		@DistributedLock("order-#idd")
		public void run(String id, String other) {
		}

	}

	static class Braces {

		@DistributedLock("order-{id}")
		public void run(String id, String other) {
		}

	}

	static class Name {

		@DistributedLock("id")
		public void run(String id, String other) {
		}

	}

	static class Plain {

		@DistributedLock({ "order-{number}", "ids", "p0", "#id" })
		public void run(String id, String other) {
		}

	}

}
