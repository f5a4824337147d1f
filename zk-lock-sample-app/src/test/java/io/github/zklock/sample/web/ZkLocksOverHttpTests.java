package io.github.zklock.sample.web;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.test.json.JsonContent;
import org.springframework.test.json.JsonContentAssert;
import org.springframework.web.client.RestClient;
import org.springframework.web.util.UriUtils;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The endpoint {@code zklocks} over HTTP, as operators call it.
 */
class ZkLocksOverHttpTests {

	private static final String KEY = "order/42";

	abstract static class OverHttp {

		@LocalServerPort
		private int port;

		@Autowired
		private LockClient lockClient;

		@Autowired
		CuratorFramework curator;

		LockHandle held;

		@AfterEach
		void release() {
			if (this.held != null) {
				this.held.release();
			}
		}

		void hold() throws InterruptedException {
			hold(KEY);
		}

		void hold(String key) throws InterruptedException {
			this.held = this.lockClient.acquire(LockRequest.exclusive(key).timeout(Duration.ofSeconds(30)));
		}

		ResponseEntity<String> call(HttpMethod method, String path) {
			return RestClient.create()
				.method(method)
				.uri(URI.create("http://localhost:" + this.port + "/actuator/zklocks" + path))
				.retrieve()
				.onStatus((status) -> true, (request, response) -> {
				})
				.toEntity(String.class);
		}

		JsonContentAssert get(String path) {
			ResponseEntity<String> answer = call(HttpMethod.GET, path);
			assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.OK);
			return assertThat(new JsonContent(answer.getBody()));
		}

	}

	@Nested
	@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
	class AsItComes extends OverHttp {

		@Test
		void keysAreShownPageByPage() throws Exception {
			hold();
			get("?size=1000").extractingPath("$.keys[?(@.key == '" + KEY + "')].holders[0].application")
				.asArray()
				.containsExactly("ticket-shop");
			get("?page=1000").extractingPath("$.keys").asArray().isEmpty();
			get("?waits=true").extractingPath("$.waits.deadlocks").asArray().isEmpty();
		}

		@Test
		void oneKeyIsShownInDetail() throws Exception {
			hold();
			JsonContentAssert shown = get("/" + KEY);
			shown.extractingPath("$.key").isEqualTo(KEY);
			shown.extractingPath("$.holders[0].ours").isEqualTo(true);
			shown.extractingPath("$.holders[0].thread").isEqualTo(Thread.currentThread().getName());
			shown.extractingPath("$.holders[0].token")
				.asNumber()
				.satisfies((token) -> assertThat(token.longValue()).isEqualTo(this.held.fencingToken()));
			shown.extractingPath("$.queue").asArray().isEmpty();
			get("/nobody/holds/this").extractingPath("$.holders").asArray().isEmpty();
		}

		@ParameterizedTest
		@ValueSource(strings = { "a//b", "/a/b", "a/b/", "a;b", "a?b", "ä/#%" })
		void anyKeyIsShownThatIsGivenAsAParameter(String key) throws Exception {
			hold(key);
			JsonContentAssert shown = get("?key=" + UriUtils.encode(key, StandardCharsets.UTF_8));
			shown.extractingPath("$.keys.length()").isEqualTo(1);
			shown.extractingPath("$.keys[0].key").isEqualTo(key);
			shown.extractingPath("$.keys[0].holders[0].ours").isEqualTo(true);
		}

		@Test
		void aKeyThatIsFreeIsShownToo() {
			JsonContentAssert shown = get("?key=nobody//holds");
			shown.extractingPath("$.keys[0].key").isEqualTo("nobody//holds");
			shown.extractingPath("$.keys[0].holders").asArray().isEmpty();
		}

		@ParameterizedTest
		@ValueSource(strings = { "/a//b", "//a/b", "/a/b/", "/a/b;c", "/a/b?key=c", "?key=" })
		void aPathThatReadsAsAnotherKeyIsRefused(String path) {
			ResponseEntity<String> answer = call(HttpMethod.GET, path);
			assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.BAD_REQUEST);
		}

		@Test
		void badNumbersAreRefused() {
			assertThat(call(HttpMethod.GET, "?page=x").getStatusCode()).isEqualTo(HttpStatus.BAD_REQUEST);
		}

		@Test
		void nothingIsTakenAway() throws Exception {
			hold();
			assertThat(call(HttpMethod.DELETE, "/" + KEY).getStatusCode()).isEqualTo(HttpStatus.METHOD_NOT_ALLOWED);
			assertThat(call(HttpMethod.POST, "/" + KEY).getStatusCode()).isEqualTo(HttpStatus.METHOD_NOT_ALLOWED);
			assertThat(this.held.isHeld()).isTrue();
		}

	}

	@Nested
	@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT, properties = {
			"spring.jackson.property-naming-strategy=SNAKE_CASE", "spring.jackson.default-property-inclusion=always" })
	class WithAnotherJsonOfTheApplication extends OverHttp {

		@Test
		void namesAreOursAndWhatIsNotKnownIsLeftOut() throws Exception {
			hold();
			JsonContentAssert shown = get("/" + KEY);
			shown.extractingPath("$.localWaiters").asArray().isEmpty();
			shown.hasPath("$.holders[0].ageMillis").doesNotHavePath("$.holders[0].permits");
			get("").doesNotHavePath("$.waits");
		}

	}

	@Nested
	@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
			properties = { "zk-lock.endpoint.force-release=true", "zk-lock.auth[0].username=shop",
					"zk-lock.auth[0].password=over-http" })
	@ExtendWith(OutputCaptureExtension.class)
	class WithCredentialsAndForcedRelease extends OverHttp {

		@Test
		void nodesOfTheCreatorsAreShownAndTakenAway(CapturedOutput output) throws Exception {
			hold();
			assertThat(this.curator.getACL().forPath("/zk-lock")).singleElement()
				.satisfies((acl) -> assertThat(acl.getId().getId()).startsWith("shop:"));
			get("/" + KEY).extractingPath("$.holders[0].application").isEqualTo("ticket-shop");
			ResponseEntity<String> answer = call(HttpMethod.DELETE, "/" + KEY);
			assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.OK);
			assertThat(answer.getBody()).contains("\"application\":\"ticket-shop\"").doesNotContain("over-http");
			get("/" + KEY).extractingPath("$.holders").asArray().isEmpty();
			assertThat(output)
				.contains("The release of lock '" + KEY + "' is forced through the endpoint zklocks by an unknown user")
				.contains("Lock '" + KEY + "' was taken from ticket-shop@")
				.doesNotContain("over-http");
		}

		@ParameterizedTest
		@ValueSource(strings = { "/a//b", "//a/b", "/a/b/", "/a/b;c", "/a/b?key=c", "?key=", "" })
		void anotherKeyThanTheOneAskedForIsNotTakenAway(String path) throws Exception {
			hold("a/b");
			assertThat(call(HttpMethod.DELETE, path).getStatusCode()).isEqualTo(HttpStatus.BAD_REQUEST);
			assertThat(this.held.isHeld()).isTrue();
		}

		@ParameterizedTest
		@ValueSource(strings = { "a//b", "a/b/", "a,b", KEY })
		void anyKeyIsTakenAwayThatIsGivenAsAParameter(String key) throws Exception {
			hold(key);
			ResponseEntity<String> answer = call(HttpMethod.DELETE,
					"?key=" + UriUtils.encode(key, StandardCharsets.UTF_8));
			assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.OK);
			assertThat(answer.getBody()).contains("\"application\":\"ticket-shop\"");
			assertThat(this.held.isHeld()).isFalse();
		}

	}

}
