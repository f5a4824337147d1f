package io.github.zklock.sample.lab;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest
@AutoConfigureMockMvc
class LabOutsideItsProfileTests {

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private Lab lab;

	@ParameterizedTest
	@CsvSource({ "POST, expire-session", "PUT, hand", "DELETE, hand", "PUT, frozen-holder", "DELETE, frozen-holder" })
	void thereAreNoDangerousButtons(String method, String path) {
		assertThat(this.mvc.method(HttpMethod.valueOf(method)).uri("/lab/tools/" + path))
			.hasStatus(HttpStatus.NOT_FOUND);
	}

	@Test
	void thePageIsToldSo() {
		assertThat(this.lab.state().tools()).isNull();
		assertThat(this.lab.queue().total()).isZero();
	}

}
