package io.github.zklock.actuate.endpoint;

import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.http.server.RequestPath;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.util.ServletRequestPathUtils;
import org.springframework.web.util.UriUtils;

/**
 * The path of the request as it was written. The actuator drops empty segments, and what
 * follows a semicolon, so that it may read another key than the one asked for.
 */
final class WrittenPath {

	private static final boolean WEB_PRESENT = ClassUtils
		.isPresent("org.springframework.web.context.request.RequestContextHolder", WrittenPath.class.getClassLoader());

	private WrittenPath() {
	}

	/**
	 * Checks that a key is the one that the path says. Where the path cannot be seen, on
	 * WebFlux and by JMX, nothing is checked.
	 * @param key the key that was read
	 * @throws InvalidEndpointRequestException if it is another one
	 */
	static void requireSays(String key) {
		String path = WEB_PRESENT ? Servlet.path() : null;
		if (path != null && (!path.endsWith("/" + key) || path.endsWith("//" + key))) {
			throw different(key, "the path does not say exactly that key");
		}
	}

	static InvalidEndpointRequestException different(String key, String problem) {
		return new InvalidEndpointRequestException(
				"The key '%s' was read, but %s. Give the key as a query parameter, as in zklocks?key=a//b."
					.formatted(key, problem),
				"The path does not say which key is meant; give it as the query parameter 'key'");
	}

	private static final class Servlet {

		private Servlet() {
		}

		static @Nullable String path() {
			RequestAttributes request = RequestContextHolder.getRequestAttributes();
			if (request == null) {
				return null;
			}
			Object path = request.getAttribute(ServletRequestPathUtils.PATH_ATTRIBUTE, RequestAttributes.SCOPE_REQUEST);
			return (path instanceof RequestPath written) ? UriUtils.decode(written.value(), StandardCharsets.UTF_8)
					: null;
		}

	}

}
