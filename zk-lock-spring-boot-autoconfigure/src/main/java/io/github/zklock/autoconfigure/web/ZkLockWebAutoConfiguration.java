package io.github.zklock.autoconfigure.web;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

import io.github.zklock.LockClient;
import io.github.zklock.autoconfigure.ZkLockAutoConfiguration;

/**
 * Auto-configuration of the answers of a web application, servlet or reactive, whose
 * locks could not be acquired, with {@code zk-lock.web.problem-details=true}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = ZkLockAutoConfiguration.class)
@ConditionalOnClass(RestControllerAdvice.class)
@ConditionalOnWebApplication
@ConditionalOnBean(LockClient.class)
@ConditionalOnBooleanProperty("zk-lock.web.problem-details")
public final class ZkLockWebAutoConfiguration {

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
	static class Servlet {

		@Bean
		LockProblems zkLockProblems() {
			return new LockProblems(Servlet::isCommitted);
		}

		private static boolean isCommitted() {
			RequestAttributes request = RequestContextHolder.getRequestAttributes();
			return request instanceof ServletRequestAttributes servlet && servlet.getResponse() != null
					&& servlet.getResponse().isCommitted();
		}

	}

	// WebFlux breaks off an answer that has begun, whatever a handler returns
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
	static class Reactive {

		@Bean
		LockProblems zkLockProblems() {
			return new LockProblems(() -> false);
		}

	}

}
