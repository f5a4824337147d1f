package io.github.zklock.aop;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import org.springframework.expression.Expression;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * Finds expressions that may give another value at each evaluation, also for a method
 * without arguments: those that ask beans, the target or types for more than their class
 * or a constant, or make objects.
 */
final class VaryingExpressions {

	private static final Pattern CONSTANT = Pattern.compile("[A-Z][A-Z0-9_]*");

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
		return expression instanceof SpelExpression spel && varies(spel.getAST());
	}

	private static boolean varies(SpelNode node) {
		if (node instanceof CompoundExpression) {
			return isVaryingChain(children(node));
		}
		boolean isMap = node instanceof InlineMap;
		return node instanceof BeanReference || node instanceof ConstructorReference || isNamed("target", node)
				|| IntStream.range(0, node.getChildCount())
					// A map's names are its even children
					.filter((i) -> !isMap || i % 2 == 1)
					.mapToObj(node::getChild)
					.anyMatch(VaryingExpressions::varies);
	}

	private static boolean isVaryingChain(List<SpelNode> links) {
		SpelNode first = links.get(0);
		if (first.toStringAST().equals("#root") || first.toStringAST().equals("#this")) {
			List<SpelNode> more = links.subList(1, links.size());
			return !(more.get(0) instanceof PropertyOrFieldReference) || isVaryingChain(more);
		}
		List<SpelNode> rest = links.subList(1, links.size());
		if (isNamed("target", first)) {
			return rest.isEmpty() || !isClass(rest.get(0));
		}
		if (first instanceof TypeReference) {
			return !isConstant(rest.get(0)) || !rest.stream().allMatch(PropertyOrFieldReference.class::isInstance);
		}
		return varies(first)
				|| rest.stream().anyMatch((link) -> !(link instanceof PropertyOrFieldReference) && varies(link));
	}

	private static boolean isClass(SpelNode node) {
		return isNamed("class", node) || (node instanceof MethodReference call && call.getName().equals("getClass"));
	}

	private static boolean isConstant(SpelNode node) {
		return node instanceof PropertyOrFieldReference property && CONSTANT.matcher(property.getName()).matches();
	}

	private static boolean isNamed(String name, SpelNode node) {
		return node instanceof PropertyOrFieldReference property && property.getName().equals(name);
	}

	private static List<SpelNode> children(SpelNode node) {
		return IntStream.range(0, node.getChildCount()).mapToObj(node::getChild).toList();
	}

}
