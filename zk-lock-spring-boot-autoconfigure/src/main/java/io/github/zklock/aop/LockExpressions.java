package io.github.zklock.aop;

import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.NativeDetector;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.core.SpringProperties;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.common.TemplateParserContext;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeLocator;

/**
 * Parses the expressions of locked methods and gives them what they are evaluated over.
 */
final class LockExpressions {

	private static final TemplateParserContext TEMPLATE = new TemplateParserContext();

	private final SpelExpressionParser parser;

	private final ParameterNameDiscoverer names = new DefaultParameterNameDiscoverer();

	/** Holds what all contexts share, so that reflection is done once. */
	private final StandardEvaluationContext shared = new StandardEvaluationContext();

	private final BeanFactoryResolver beans;

	private final ConfigurableBeanFactory beanFactory;

	LockExpressions(ConfigurableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
		// Those that have been evaluated often become classes, which a native image
		// cannot load
		boolean left = NativeDetector.inNativeImage() || SpringProperties
			.getProperty(SpelParserConfiguration.SPRING_EXPRESSION_COMPILER_MODE_PROPERTY_NAME) != null;
		ClassLoader classLoader = beanFactory.getBeanClassLoader();
		this.parser = new SpelExpressionParser(
				new SpelParserConfiguration(left ? null : SpelCompilerMode.MIXED, classLoader));
		// Otherwise the thread of the first call would decide which types there are
		this.shared.setTypeLocator(new StandardTypeLocator(classLoader));
		this.beans = new BeanFactoryResolver(beanFactory);
	}

	ConfigurableBeanFactory beanFactory() {
		return this.beanFactory;
	}

	/**
	 * Parses an expression.
	 * @param text the text, without placeholders
	 * @return the expression
	 * @throws IllegalArgumentException if it is none; the message completes "the value"
	 */
	Expression parse(String text) {
		return parse(text, false);
	}

	/**
	 * Parses a text with expressions in it.
	 * @param text the text, without placeholders
	 * @return the expression
	 * @throws IllegalArgumentException as {@link #parse(String)}
	 */
	Expression parseTemplate(String text) {
		return parse(text, true);
	}

	private Expression parse(String text, boolean template) {
		try {
			return template ? this.parser.parseExpression(text, TEMPLATE) : this.parser.parseExpression(text);
		}
		catch (ParseException | IllegalStateException | IllegalArgumentException ex) {
			throw new IllegalArgumentException("is not a SpEL expression (" + ex.getMessage() + ")", ex);
		}
	}

	/**
	 * Returns the names that the arguments of a method have in expressions.
	 * @param method the method whose parameter names count
	 * @return the positions by the names, in order; those of the positions last
	 */
	Map<String, Integer> argumentPositions(Method method) {
		Map<String, Integer> known = new LinkedHashMap<>();
		@Nullable String[] discovered = this.names.getParameterNames(method);
		for (int i = 0; discovered != null && i < discovered.length; i++) {
			if (discovered[i] != null) {
				known.put(discovered[i], i);
			}
		}
		for (int i = 0; i < method.getParameterCount(); i++) {
			known.put("p" + i, i);
			known.put("a" + i, i);
		}
		return known;
	}

	/**
	 * Returns what the expressions of one call are evaluated over.
	 * @param declaration the method whose parameter names count
	 * @param root the call
	 * @return the context, for one thread
	 */
	EvaluationContext context(Method declaration, LockCallRoot root) {
		MethodBasedEvaluationContext context = new MethodBasedEvaluationContext(root, declaration, root.args(),
				this.names);
		this.shared.applyDelegatesTo(context);
		context.setBeanResolver(this.beans);
		return context;
	}

}
