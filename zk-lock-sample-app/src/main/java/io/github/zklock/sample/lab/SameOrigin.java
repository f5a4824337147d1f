package io.github.zklock.sample.lab;

import java.util.stream.Stream;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.stereotype.Component;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Keeps pages from elsewhere from ordering, or pressing buttons, in a visitor's browser.
 * Browsers say where a request comes from, over plain HTTP by its Origin only; other
 * clients say nothing and may pass. That is ours if the request went to the same host and
 * port, or if proxies say that it did, which no page can say: for such a header a browser
 * asks first, and is not allowed.
 */
@Component
class SameOrigin implements HandlerInterceptor, WebMvcConfigurer {

	private static final String HEADER = "Sec-Fetch-Site";

	@Override
	public void addInterceptors(InterceptorRegistry registry) {
		registry.addInterceptor(this);
	}

	@Override
	public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
		String site = request.getHeader(HEADER);
		boolean ours = (site != null) ? site.equals("same-origin") : hasOwnOrigin(request);
		if (ours || HttpMethod.GET.matches(request.getMethod()) || HttpMethod.HEAD.matches(request.getMethod())) {
			return true;
		}
		throw new ErrorResponseException(HttpStatus.FORBIDDEN,
				ProblemDetail.forStatusAndDetail(HttpStatus.FORBIDDEN, "Only the page of this application may do that"),
				null);
	}

	private static boolean hasOwnOrigin(HttpServletRequest request) {
		String origin = request.getHeader(HttpHeaders.ORIGIN);
		return origin == null || Stream.of(HttpHeaders.HOST, "X-Forwarded-Host")
			.flatMap((header) -> Stream.ofNullable(request.getHeader(header)))
			.flatMap((hosts) -> Stream.of(hosts.split(",")).map(String::strip))
			.anyMatch((host) -> origin.equals("http://" + host) || origin.equals("https://" + host));
	}

}
