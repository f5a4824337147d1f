package io.github.zklock.autoconfigure;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.PropertyMatches;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Names the {@code zk-lock} properties that do not exist, and those that were probably
 * meant.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class UnknownPropertyFailureAnalyzer extends AbstractFailureAnalyzer<UnboundConfigurationPropertiesException> {

	private static final ConfigurationPropertyName OURS = ConfigurationPropertyName.of("zk-lock");

	private static final ConfigurationPropertyName SERVERS = OURS.append("connect-string");

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, UnboundConfigurationPropertiesException cause) {
		List<ConfigurationProperty> unknown = cause.getUnboundProperties()
			.stream()
			.filter((property) -> OURS.isAncestorOf(property.getName()))
			.toList();
		if (unknown.isEmpty()) {
			return null;
		}
		String problem = unknown.stream()
			.map((property) -> "There is no property %s (%s).".formatted(property.getName(), property.getOrigin()))
			.collect(Collectors.joining(" "));
		String meant = unknown.stream()
			.map((property) -> meant(property.getName()))
			.flatMap(Optional::stream)
			.distinct()
			.collect(Collectors.joining(" "));
		return new FailureAnalysis(problem, "Correct the name, or remove it." + (meant.isEmpty() ? "" : " " + meant),
				cause);
	}

	private static Optional<String> meant(ConfigurationPropertyName unknown) {
		if (SERVERS.isParentOf(unknown)) {
			return Optional.of("%s is one text: write %s=zk1:2181,zk2:2181.".formatted(SERVERS, SERVERS));
		}
		Class<?> type = ZkLockProperties.class;
		int last = unknown.getNumberOfElements() - 1;
		for (int i = 1; i < last; i++) {
			type = nested(type, unknown.getElement(i, Form.UNIFORM));
		}
		// There may be several, each of which has its number
		ConfigurationPropertyName parent = (type == ZkLockProperties.Auth.class && !isNumbered(unknown.getParent()))
				? unknown.getParent().append("[0]") : unknown.getParent();
		String name = unknown.getElement(last, Form.UNIFORM);
		return Arrays.stream(PropertyMatches.forProperty(name, type).getPossibleMatches())
			.map((match) -> parent.append(DataObjectPropertyName.toDashedForm(match)))
			.map(ConfigurationPropertyName::toString)
			.reduce((first, second) -> first + " or " + second)
			.map((names) -> "Do you mean %s?".formatted(names));
	}

	private static boolean isNumbered(ConfigurationPropertyName name) {
		return name.isNumericIndex(name.getNumberOfElements() - 1);
	}

	private static Class<?> nested(Class<?> type, String element) {
		return Arrays.stream(type.getDeclaredClasses())
			.filter((one) -> one.getSimpleName().equalsIgnoreCase(element))
			.findFirst()
			.<Class<?>>map((one) -> one)
			.orElse(element.equals("keys") ? ZkLockKeyProperties.class : type);
	}

}
