package io.github.zklock.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Knows which methods of a bean the container calls on the bean itself, when it begins
 * and ends, where no proxy sees the call.
 */
final class ContainerCalls {

	private static final Map<String, String> ANNOTATIONS = Map.of("jakarta.annotation.PostConstruct",
			"a @PostConstruct method", "jakarta.annotation.PreDestroy", "a @PreDestroy method",
			"javax.annotation.PostConstruct", "a @PostConstruct method", "javax.annotation.PreDestroy",
			"a @PreDestroy method");

	private final RootBeanDefinition definition;

	private final Class<?> beanType;

	ContainerCalls(RootBeanDefinition definition, Class<?> beanType) {
		this.definition = definition;
		this.beanType = beanType;
	}

	/**
	 * Says as what the container calls a method of the bean.
	 * @param method a method of the bean's class
	 * @return for messages, or null if it does not
	 */
	@Nullable String of(Method method) {
		String annotated = ofAnnotation(method);
		if (annotated != null) {
			return annotated;
		}
		if (implementsMethod(method, InitializingBean.class, "afterPropertiesSet")) {
			return "InitializingBean's afterPropertiesSet";
		}
		if (method.getParameterCount() == 0 && isNamed(method, this.definition.getInitMethodNames())) {
			return "the init method";
		}
		return this.definition.isPrototype() ? null : ofDestruction(method);
	}

	// What has it may be overridden, also if it is a default method: Spring calls that,
	// and so what overrides it
	private @Nullable String ofAnnotation(Method method) {
		String found = annotation(method);
		if (method.getParameterCount() == 0) {
			for (Method declared : ReflectionUtils.getAllDeclaredMethods(this.beanType)) {
				found = (found == null && isOverridden(declared, method)) ? annotation(declared) : found;
			}
		}
		return found;
	}

	private @Nullable String annotation(Method method) {
		MergedAnnotations annotations = MergedAnnotations.from(method);
		for (Map.Entry<String, String> annotation : ANNOTATIONS.entrySet()) {
			if (annotations.isPresent(annotation.getKey()) && isHeeded(annotation.getKey())) {
				return annotation.getValue();
			}
		}
		return null;
	}

	// The container does not destroy prototypes
	private boolean isHeeded(String annotation) {
		return !(this.definition.isPrototype() && annotation.endsWith(".PreDestroy"));
	}

	private static boolean isOverridden(Method declared, Method method) {
		int modifiers = declared.getModifiers();
		return declared.getName().equals(method.getName()) && declared.getParameterCount() == 0
				&& !Modifier.isPrivate(modifiers)
				&& (Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers)
						|| declared.getDeclaringClass()
							.getPackageName()
							.equals(method.getDeclaringClass().getPackageName()));
	}

	private @Nullable String ofDestruction(Method method) {
		if (implementsMethod(method, DisposableBean.class, "destroy")) {
			return "DisposableBean's destroy";
		}
		boolean named = method.getParameterCount() <= 1 && isNamed(method, this.definition.getDestroyMethodNames());
		return (named || isInferred(method)) ? "the destroy method" : null;
	}

	private boolean implementsMethod(Method method, Class<?> type, String name) {
		return type.isAssignableFrom(this.beanType) && method.getName().equals(name) && method.getParameterCount() == 0;
	}

	private static boolean isNamed(Method method, String @Nullable [] names) {
		return names != null && Arrays.stream(names)
			.anyMatch(
					(name) -> name.equals(method.getName()) || name.equals(ClassUtils.getQualifiedMethodName(method)));
	}

	// As Spring infers it: close, or shutdown where there is no close.
	private boolean isInferred(Method method) {
		String name = this.definition.getDestroyMethodName();
		boolean inferred = AbstractBeanDefinition.INFER_METHOD.equals(name)
				|| (name == null && AutoCloseable.class.isAssignableFrom(this.beanType));
		if (!inferred || DisposableBean.class.isAssignableFrom(this.beanType) || method.getParameterCount() > 0
				|| !Modifier.isPublic(method.getModifiers())) {
			return false;
		}
		return method.getName().equals("close")
				|| (method.getName().equals("shutdown") && ReflectionUtils.findMethod(this.beanType, "close") == null);
	}

}
