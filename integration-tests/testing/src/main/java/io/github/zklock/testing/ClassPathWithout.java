package io.github.zklock.testing;

import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;

/**
 * Runs code in a class loader that lacks some of the jars of the class path, and knows
 * nothing of what the caller sees.
 */
public final class ClassPathWithout {

	private final String[] missing;

	private ClassPathWithout(String... missing) {
		this.missing = missing;
	}

	/**
	 * Chooses the jars.
	 * @param missing how the names of the missing jars begin
	 * @return the class path without them
	 */
	public static ClassPathWithout jars(String... missing) {
		return new ClassPathWithout(missing);
	}

	/**
	 * Calls a static method without arguments.
	 * @param type the class, which is loaded again
	 * @param method the method's name
	 * @return what it returned; only types of the JDK make sense
	 * @throws Exception if there is no such method
	 */
	public Object call(Class<?> type, String method) throws Exception {
		URL[] urls = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.map(File::new)
			.filter((file) -> Arrays.stream(this.missing).noneMatch((name) -> file.getName().startsWith(name)))
			.map(ClassPathWithout::url)
			.toArray(URL[]::new);
		ClassLoader own = Thread.currentThread().getContextClassLoader();
		try (URLClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader())) {
			Thread.currentThread().setContextClassLoader(loader);
			Method test = loader.loadClass(type.getName()).getDeclaredMethod(method);
			test.setAccessible(true);
			return test.invoke(null);
		}
		catch (InvocationTargetException ex) {
			throw new AssertionError(ex.getTargetException().toString(), ex.getTargetException());
		}
		finally {
			Thread.currentThread().setContextClassLoader(own);
		}
	}

	private static URL url(File file) {
		try {
			return file.toURI().toURL();
		}
		catch (MalformedURLException ex) {
			throw new IllegalArgumentException(ex);
		}
	}

}
