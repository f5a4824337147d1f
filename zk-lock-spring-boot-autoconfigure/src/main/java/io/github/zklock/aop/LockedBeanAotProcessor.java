package io.github.zklock.aop;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.ResolvableType;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.TypeLocator;
import org.springframework.expression.spel.support.StandardTypeLocator;
import org.springframework.util.ClassUtils;

/**
 * Declares for a native image what locked methods are read and called by: the method
 * itself and its fallback, and what its expressions may ask of arguments, beans, types
 * and {@code #root}.
 */
final class LockedBeanAotProcessor implements BeanRegistrationAotProcessor {

	/** A type may have itself inside. */
	private static final int MAX_DEPTH = 4;

	private static final Pattern BEAN = Pattern.compile("@([\\w$]+|'[^']+'|\"[^\"]+\")");

	private static final Pattern TYPE = Pattern.compile("\\bT\\s*\\(\\s*([\\w$.]+)");

	private final BindingReflectionHintsRegistrar properties = new BindingReflectionHintsRegistrar();

	@Override
	public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean registeredBean) {
		ConfigurableListableBeanFactory beanFactory = registeredBean.getBeanFactory();
		Class<?> type = typeOf(registeredBean);
		LockedMethods methods = new LockedMethods(beanFactory);
		List<Method> locked = new LockedBeanCheck(methods).lockedMethods(type);
		if (locked.isEmpty()) {
			return null;
		}
		return (context, code) -> {
			ReflectionHints hints = context.getRuntimeHints().reflection();
			hints.registerType(LockCallRoot.class, MemberCategory.INVOKE_PUBLIC_METHODS);
			for (Method method : locked) {
				methods.annotation(method, type)
					.ifPresent((annotation) -> register(hints, method, type, annotation, beanFactory));
			}
		};
	}

	// Of a factory, such as one of repositories, what it makes is locked
	private static Class<?> typeOf(RegisteredBean bean) {
		Class<?> made = (!bean.isInnerBean() && FactoryBean.class.isAssignableFrom(bean.getBeanClass()))
				? bean.getBeanFactory().getType(bean.getBeanName(), false) : null;
		return ClassUtils.getUserClass((made != null) ? made : bean.getBeanClass());
	}

	private void register(ReflectionHints hints, Method method, Class<?> type, LockAnnotation annotation,
			ConfigurableListableBeanFactory beanFactory) {
		hints.registerMethod(method, ExecutableMode.INVOKE);
		String fallback = annotation.merged().getString("fallback");
		LockedBeanCheck.candidates(type)
			.stream()
			.filter((candidate) -> candidate.getName().equals(fallback))
			.forEach((candidate) -> hints.registerMethod(candidate, ExecutableMode.INVOKE));
		Set<String> texts = new LinkedHashSet<>();
		// What a placeholder stands for may be another text where the application runs
		for (String text : expressions(annotation)) {
			texts.add(text);
			texts.add(resolved(text, beanFactory));
		}
		if (mayAsk(texts, "#", "${", "args")) {
			for (int i = 0; i < method.getParameterCount(); i++) {
				registerArgument(hints, ResolvableType.forMethodParameter(method, i, type), MAX_DEPTH);
			}
		}
		if (mayAsk(texts, "target")) {
			hints.registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS);
		}
		if (mayAsk(texts, "method")) {
			hints.registerType(Method.class, MemberCategory.INVOKE_PUBLIC_METHODS);
		}
		if (mayAsk(texts, "class", "Class")) {
			hints.registerType(Class.class, MemberCategory.INVOKE_PUBLIC_METHODS);
		}
		for (String text : texts) {
			registerBeans(hints, text, beanFactory);
			registerTypes(hints, text, new StandardTypeLocator(beanFactory.getBeanClassLoader()));
		}
	}

	// What #root has may be named without it, and in several ways
	private static boolean mayAsk(Set<String> texts, String... names) {
		return texts.stream().anyMatch((text) -> Stream.of(names).anyMatch(text::contains));
	}

	private static List<String> expressions(LockAnnotation annotation) {
		List<String> expressions = new ArrayList<>(annotation.keys());
		expressions.add(annotation.merged().getString("condition"));
		return expressions;
	}

	// What is only known where the application runs stays a placeholder
	private static String resolved(String text, ConfigurableListableBeanFactory beanFactory) {
		try {
			return Objects.requireNonNullElse(beanFactory.resolveEmbeddedValue(text), text);
		}
		catch (IllegalArgumentException ex) {
			return text;
		}
	}

	private void registerArgument(ReflectionHints hints, ResolvableType type, int depth) {
		if (type.isArray()) {
			registerArgument(hints, type.getComponentType(), depth);
			return;
		}
		for (ResolvableType generic : (depth > 0) ? type.getGenerics() : new ResolvableType[0]) {
			registerArgument(hints, generic, depth - 1);
		}
		Class<?> argument = type.toClass();
		if (argument != Object.class && !ClassUtils.isPrimitiveOrWrapper(argument) && argument != String.class) {
			registerPublic(hints, argument);
			this.properties.registerReflectionHints(hints, argument);
		}
	}

	private static void registerBeans(ReflectionHints hints, String text, ConfigurableListableBeanFactory beanFactory) {
		Matcher bean = BEAN.matcher(text);
		while (bean.find()) {
			String name = bean.group(1).replaceAll("['\"]", "");
			Class<?> beanType = beanFactory.containsBean(name) ? beanFactory.getType(name, false) : null;
			if (beanType != null) {
				hints.registerType(ClassUtils.getUserClass(beanType), MemberCategory.INVOKE_PUBLIC_METHODS);
			}
		}
	}

	private static void registerTypes(ReflectionHints hints, String text, TypeLocator types) {
		Matcher type = TYPE.matcher(text);
		while (type.find()) {
			try {
				registerPublic(hints, types.findType(type.group(1)));
			}
			catch (EvaluationException ex) {
				// It is none, or only there where the application runs
			}
		}
	}

	private static void registerPublic(ReflectionHints hints, Class<?> type) {
		hints.registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS);
		for (Field field : type.getFields()) {
			hints.registerField(field);
		}
	}

}
