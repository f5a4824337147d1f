package io.github.zklock.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.StringUtils;

/**
 * Matches when a server inside this JVM is wanted and no other one is named.
 */
final class OnEmbeddedServerCondition extends SpringBootCondition {

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		Environment environment = context.getEnvironment();
		ConditionMessage.Builder message = ConditionMessage.forCondition("Embedded ZooKeeper server");
		if (!environment.getProperty("zk-lock.embedded.enabled", Boolean.class, false)) {
			return ConditionOutcome.noMatch(message.because("zk-lock.embedded.enabled is not true"));
		}
		if (StringUtils.hasText(environment.getProperty("zk-lock.connect-string"))) {
			return ConditionOutcome.noMatch(message.because("zk-lock.connect-string names a server"));
		}
		return ConditionOutcome.match(message.because("zk-lock.embedded.enabled is true"));
	}

}
