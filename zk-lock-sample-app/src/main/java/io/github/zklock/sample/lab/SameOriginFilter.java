package io.github.zklock.sample.lab;

import java.io.IOException;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Keeps pages from elsewhere from ordering, or pressing buttons, in a visitor's browser.
 * Browsers say where a request comes from; other clients say nothing and may pass.
 */
@Component
class SameOriginFilter extends OncePerRequestFilter {

	private static final String HEADER = "Sec-Fetch-Site";

	@Override
	protected boolean shouldNotFilter(HttpServletRequest request) {
		return HttpMethod.GET.matches(request.getMethod()) || HttpMethod.HEAD.matches(request.getMethod());
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		String site = request.getHeader(HEADER);
		if (site == null || site.equals("same-origin")) {
			chain.doFilter(request, response);
		}
		else {
			response.sendError(HttpStatus.FORBIDDEN.value());
		}
	}

}
