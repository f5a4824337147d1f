package io.github.zklock.sample.lab;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.stereotype.Component;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Keeps pages from elsewhere from ordering, or pressing buttons, in a visitor's browser.
 * Browsers say where a request comes from, over plain HTTP from another host by its
 * Origin only; other clients say nothing and may pass.
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
		boolean ours = (site != null) ? site.equals("same-origin") : !CorsUtils.isCorsRequest(request);
		if (ours || HttpMethod.GET.matches(request.getMethod()) || HttpMethod.HEAD.matches(request.getMethod())) {
			return true;
		}
		throw new ErrorResponseException(HttpStatus.FORBIDDEN,
				ProblemDetail.forStatusAndDetail(HttpStatus.FORBIDDEN, "Only the page of this application may do that"),
				null);
	}

}
