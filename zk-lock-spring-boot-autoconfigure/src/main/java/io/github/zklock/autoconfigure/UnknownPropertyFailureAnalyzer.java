package io.github.zklock.autoconfigure;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
		String problem = unknown.stream().map(UnknownPropertyFailureAnalyzer::problem).collect(Collectors.joining(" "));
		String action = unknown.stream()
			.map(ConfigurationProperty::getName)
			.flatMap(UnknownPropertyFailureAnalyzer::remedies)
			.distinct()
			.collect(Collectors.joining(" "));
		return new FailureAnalysis(problem, action, cause);
	}

	// One that exists is not bound either if its value is empty, or its number too large
	private static String problem(ConfigurationProperty property) {
		ConfigurationPropertyName name = property.getName();
		String problem = !exists(name) ? "There is no property %s (%s)." : isNumbered(name.getParent())
				? "The property %s (%s) is not read: a smaller number is missing." : "The property %s (%s) is empty.";
		return problem.formatted(name, property.getOrigin());
	}

	private static Stream<String> remedies(ConfigurationPropertyName name) {
		if (exists(name)) {
			return Stream
				.of(isNumbered(name.getParent()) ? "Number them from [0] on." : "Give it a value, or remove it.");
		}
		return Stream.concat(Stream.of("Correct the name, or remove it."), meant(name).stream());
	}

	private static boolean exists(ConfigurationPropertyName name) {
		return matches(name).anyMatch(name::equals);
	}

	private static Optional<String> meant(ConfigurationPropertyName unknown) {
		if (SERVERS.isParentOf(unknown)) {
			return Optional.of("%s is one text: write %s=zk1:2181,zk2:2181.".formatted(SERVERS, SERVERS));
		}
		return matches(unknown).map(ConfigurationPropertyName::toString)
			.reduce((first, second) -> first + " or " + second)
			.map((names) -> "Do you mean %s?".formatted(names));
	}

	private static Stream<ConfigurationPropertyName> matches(ConfigurationPropertyName name) {
		Class<?> type = ZkLockProperties.class;
		int last = name.getNumberOfElements() - 1;
		for (int i = 1; i < last; i++) {
			boolean isPattern = i == 2 && type == ZkLockKeyProperties.class;
			if (!isPattern && !name.isNumericIndex(i)) {
				type = nested(type, name.getElement(i, Form.UNIFORM));
			}
		}
		// There may be several, each of which has its number
		ConfigurationPropertyName parent = (type == ZkLockProperties.Auth.class && !isNumbered(name.getParent()))
				? name.getParent().append("[0]") : name.getParent();
		return Arrays
			.stream(PropertyMatches.forProperty(name.getElement(last, Form.UNIFORM), type).getPossibleMatches())
			.map((match) -> parent.append(DataObjectPropertyName.toDashedForm(match)));
	}

	private static boolean isNumbered(ConfigurationPropertyName name) {
		return name.isNumericIndex(name.getNumberOfElements() - 1);
	}

	// A group that does not exist has no properties
	private static Class<?> nested(Class<?> type, String element) {
		return Arrays.stream(type.getDeclaredClasses())
			.filter((one) -> one.getSimpleName().equalsIgnoreCase(element))
			.findFirst()
			.<Class<?>>map((one) -> one)
			.orElse((type == ZkLockProperties.class && element.equals("keys")) ? ZkLockKeyProperties.class
					: Void.class);
	}

}
