package io.github.zklock.testing;

import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;

/**
 * Runs code in a class loader that lacks some of the jars.
 */
public final class MissingJars {

	private MissingJars() {
	}

	/**
	 * Runs a method.
	 * @param type the class that has it; it is loaded anew
	 * @param method the name of a static method without parameters
	 * @param missing what the names of the missing jars begin with
	 * @return what it returned
	 * @throws Exception if it cannot be called; what it throws becomes an assertion error
	 */
	public static Object run(Class<?> type, String method, String... missing) throws Exception {
		URL[] urls = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.map(File::new)
			.filter((file) -> Arrays.stream(missing).noneMatch((name) -> file.getName().startsWith(name)))
			.map(MissingJars::url)
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
