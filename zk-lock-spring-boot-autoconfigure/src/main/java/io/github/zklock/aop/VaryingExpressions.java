package io.github.zklock.aop;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import org.springframework.expression.Expression;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * Finds expressions that may give another value at each evaluation, also for a method
 * without arguments: those that ask beans, or the target for more than its class, or
 * types for more than the name of a constant, or make objects.
 */
final class VaryingExpressions {

	private static final Pattern CONSTANT = Pattern.compile("[A-Z][A-Z0-9_]*");

	private static final Set<String> TARGET = Set.of("target", "target()", "['target']", "getTarget()");

	private static final Set<String> NAMES = Set.of("name()", "toString()", "ordinal()");

	private VaryingExpressions() {
	}

	/**
	 * Returns whether an expression may vary.
	 * @param expression an expression of a method without arguments
	 * @return false only if it gives the same at each evaluation
	 */
	static boolean varies(Expression expression) {
		if (expression instanceof CompositeStringExpression composite) {
			return Arrays.stream(composite.getExpressions()).anyMatch(VaryingExpressions::varies);
		}
		return expression instanceof SpelExpression spel && varies(spel.getAST(), true);
	}

	// In a projection or selection names are those of an element, not of the call
	private static boolean varies(SpelNode node, boolean ofCall) {
		if (node instanceof CompoundExpression) {
			return isVaryingChain(children(node), ofCall);
		}
		return node instanceof BeanReference || node instanceof ConstructorReference
				|| (isCall(node) && (ofCall || isNamed("#root", node))) || (ofCall && isTarget(node))
				|| hasVaryingParts(node, ofCall);
	}

	private static boolean hasVaryingParts(SpelNode node, boolean ofCall) {
		boolean ofElement = node instanceof Projection || node instanceof Selection;
		// A name in a map is no property
		return children(node).stream()
			.filter((part) -> !(node instanceof InlineMap && part instanceof PropertyOrFieldReference name
					&& isName(name, node)))
			.anyMatch((part) -> varies(part, ofCall && !ofElement));
	}

	private static boolean isName(SpelNode part, SpelNode map) {
		return children(map).indexOf(part) % 2 == 0;
	}

	private static boolean isVaryingChain(List<SpelNode> links, boolean ofCall) {
		SpelNode first = links.get(0);
		List<SpelNode> rest = links.subList(1, links.size());
		if (isNamed("#root", first) || (ofCall && isCall(first))) {
			return (rest.get(0) instanceof Indexer index && !(index.getChild(0) instanceof Literal))
					|| isVaryingChain(rest, true);
		}
		if (ofCall && isTarget(first)) {
			return rest.isEmpty() || !isClass(rest.get(0)) || hasVaryingArguments(rest, true);
		}
		if (first instanceof TypeReference) {
			return !isConstant(rest.get(0))
					|| !rest.stream().skip(1).allMatch((link) -> NAMES.contains(link.toStringAST()));
		}
		return varies(first, ofCall) || hasVaryingArguments(rest, ofCall);
	}

	private static boolean hasVaryingArguments(List<SpelNode> links, boolean ofCall) {
		return links.stream().anyMatch((link) -> hasVaryingParts(link, ofCall));
	}

	private static boolean isCall(SpelNode node) {
		return isNamed("#root", node) || isNamed("#this", node);
	}

	private static boolean isTarget(SpelNode node) {
		return TARGET.contains(node.toStringAST());
	}

	private static boolean isClass(SpelNode node) {
		return isNamed("class", node) || isNamed("getClass()", node);
	}

	private static boolean isConstant(SpelNode node) {
		return node instanceof PropertyOrFieldReference property && CONSTANT.matcher(property.getName()).matches();
	}

	private static boolean isNamed(String name, SpelNode node) {
		return node.toStringAST().equals(name);
	}

	private static List<SpelNode> children(SpelNode node) {
		return IntStream.range(0, node.getChildCount()).mapToObj(node::getChild).toList();
	}

}
