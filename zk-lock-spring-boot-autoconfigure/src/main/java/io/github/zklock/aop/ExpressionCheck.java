package io.github.zklock.aop;

import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.springframework.expression.Expression;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * Finds the names in an expression that nothing at run time will know.
 */
final class ExpressionCheck {

	private static final Pattern ARGUMENT = Pattern.compile("#(\\w+)(\\.\\w+)*");

	private static final Pattern BRACES = Pattern.compile("\\{\\s*(\\w+)((\\.\\w+)*)\\s*\\}");

	/** Text with quotes, calls or spaces was meant as an expression. */
	private static final Pattern TEXT = Pattern.compile("[^#\\s'\"()][^\\s'\"()]*[^\\s'\"()+]");

	private final Set<String> arguments;

	private final Set<String> beans = new HashSet<>();

	/**
	 * Creates a check.
	 * @param arguments the names that the arguments have
	 */
	ExpressionCheck(Set<String> arguments) {
		this.arguments = arguments;
	}

	/**
	 * Checks an expression.
	 * @param expression the expression
	 * @throws IllegalArgumentException if it uses an unknown name; the message completes
	 * "the value"
	 */
	void check(Expression expression) {
		if (expression instanceof CompositeStringExpression composite) {
			for (Expression part : composite.getExpressions()) {
				check(part);
			}
		}
		else if (expression instanceof SpelExpression spel) {
			check(spel.getAST(), true);
		}
	}

	/**
	 * Returns whether arguments are known by name and not only by position.
	 * @return true as well if there are none
	 */
	boolean hasNames() {
		return this.arguments.isEmpty() || this.arguments.stream().anyMatch((name) -> !name.matches("[ap]\\d+"));
	}

	/**
	 * Finds what a text that is no expression was meant to be.
	 * @param text a key that was refused
	 * @return how to write it, or null if it looks like an expression with a mistake
	 */
	@Nullable String asText(String text) {
		if (!TEXT.matcher(text).matches() || text.contains("#{")) {
			return null;
		}
		Matcher matcher = ARGUMENT.matcher(text);
		if (matcher.results().anyMatch((found) -> !isArgument(found.group(1)))) {
			return null;
		}
		String template = matcher.replaceAll((found) -> Matcher.quoteReplacement("#{" + found.group() + "}"));
		if (!template.equals(text)) {
			return template;
		}
		return text.contains("@") ? "'" + text + "'" : null;
	}

	/**
	 * Finds what a literal was probably meant to be.
	 * @param text a key that is plain text
	 * @return how to write it with arguments, or null if it names none
	 */
	@Nullable String asExpression(String text) {
		if (isNamed(text)) {
			return "#" + text;
		}
		String template = BRACES.matcher(text)
			.replaceAll((found) -> Matcher.quoteReplacement(
					isNamed(found.group(1)) ? "#{#" + found.group(1) + found.group(2) + "}" : found.group()));
		return template.equals(text) ? null : template;
	}

	private boolean isArgument(String name) {
		return this.arguments.contains(name);
	}

	private boolean isNamed(String name) {
		return isArgument(name) && !name.matches("[ap]\\d+");
	}

	/**
	 * Returns the names of the beans that the checked expressions use.
	 * @return the names
	 */
	Set<String> beans() {
		return this.beans;
	}

	private void check(SpelNode node, boolean onRoot) {
		if (node instanceof VariableReference || node instanceof FunctionReference) {
			checkVariable(node.toStringAST());
		}
		else if (node instanceof BeanReference) {
			this.beans.add(node.toStringAST().replace("'", "").substring(1));
		}
		else if (node instanceof PropertyOrFieldReference property && onRoot) {
			checkRootProperty(property.getName());
		}
		else if (node instanceof MethodReference method && onRoot) {
			throw new IllegalArgumentException(
					"calls the method %s(..) on nothing; methods are called on arguments, beans and types, as in #order.%1$s(), @bean.%1$s() or T(com.acme.Type).%1$s()"
						.formatted(method.getName()));
		}
		checkChildren(node, onRoot);
	}

	private void checkChildren(SpelNode node, boolean onRoot) {
		boolean chain = node instanceof CompoundExpression;
		boolean elsewhere = node instanceof Selection || node instanceof Projection || node instanceof Indexer
				|| node instanceof InlineMap;
		for (int i = 0; i < node.getChildCount(); i++) {
			SpelNode child = node.getChild(i);
			check(child, onRoot && !elsewhere && !(chain && i > 0));
			if (chain && i == 1 && node.getChild(0).toStringAST().equals("#root")
					&& child instanceof PropertyOrFieldReference property) {
				checkRootProperty(property.getName());
			}
		}
	}

	private void checkVariable(String text) {
		String name = text.substring(1).replaceAll("\\(.*", "");
		if (!name.equals("root") && !name.equals("this") && !this.arguments.contains(name)) {
			throw new IllegalArgumentException("uses #%s, but the method has no such parameter; known are %s"
				.formatted(name, this.arguments.stream().map("#"::concat).toList()));
		}
	}

	private void checkRootProperty(String name) {
		if (!LockCallRoot.PROPERTIES.contains(name)) {
			throw new IllegalArgumentException(
					"uses '%s', which #root does not have; arguments are written #%1$s, and #root has %s"
						.formatted(name, String.join(", ", LockCallRoot.PROPERTIES)));
		}
	}

}
