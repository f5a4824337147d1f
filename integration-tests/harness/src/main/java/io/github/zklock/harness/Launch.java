package io.github.zklock.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;

/**
 * Describes a process that is to be started and that does not outlive this one.
 */
public final class Launch {

	/*-
	 * A JVM that was started here ends in three ways: it is closed; this JVM ends, whose
	 * shutdown hook kills what still runs; or this JVM was killed, so that no hook ran. Then
	 * the child's standard input ends, and the reader of that input ends the child: the
	 * child itself if it takes commands from its input, otherwise a Follower that wraps its main
	 * class.
	 */

	private final List<String> before = new ArrayList<>();

	private final List<String> command = new ArrayList<>();

	private final List<String> main = new ArrayList<>();

	private final List<String> arguments = new ArrayList<>();

	private final boolean java;

	private boolean readsInput;

	private Launch(boolean java) {
		this.java = java;
	}

	/**
	 * Describes a JVM with the class path of this one.
	 * @param main what it runs
	 * @return the description
	 */
	public static Launch java(Class<?> main) {
		return java(classPath(), main.getName());
	}

	/**
	 * Returns where this JVM looks for classes.
	 * @return the class path
	 */
	public static String classPath() {
		return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
	}

	/**
	 * Describes a JVM that runs a jar.
	 * @param jar a jar that says what its main class is
	 * @return the description
	 */
	public static Launch jar(Path jar) {
		try (JarFile file = new JarFile(jar.toFile())) {
			String main = file.getManifest().getMainAttributes().getValue(Attributes.Name.MAIN_CLASS);
			// Nothing but the jar and the class that follows, because classes of this
			// class path would hide those that are packed in the jar
			Path follower = Path.of(Follower.class.getProtectionDomain().getCodeSource().getLocation().toURI());
			return java(jar + System.getProperty("path.separator") + follower, main);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (URISyntaxException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static Launch java(String classPath, String main) {
		Launch launch = new Launch(true);
		launch.command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		launch.command.addAll(List.of("-XX:+UseSerialGC", "-Xshare:auto", "-cp", classPath));
		launch.main.add(main);
		return launch;
	}

	/**
	 * Describes a process of any program.
	 * @param program the program
	 * @return the description
	 */
	public static Launch program(String program) {
		Launch launch = new Launch(false);
		launch.command.add(program);
		return launch;
	}

	/**
	 * Lets other programs start it, each of which runs the command that follows it.
	 * @param words what comes before its command; may be empty
	 * @return this description
	 */
	public Launch through(List<String> words) {
		this.before.addAll(words);
		return this;
	}

	/**
	 * Adds options of the JVM, of which later ones win.
	 * @param options the options
	 * @return this description
	 */
	public Launch options(List<String> options) {
		this.command.addAll(options);
		return this;
	}

	/**
	 * Adds arguments of the program.
	 * @param more the arguments
	 * @return this description
	 */
	public Launch arguments(List<String> more) {
		this.arguments.addAll(more);
		return this;
	}

	/**
	 * Says that the program reads its standard input, and ends when that ends.
	 * @return this description
	 */
	public Launch readingInput() {
		this.readsInput = true;
		return this;
	}

	/**
	 * Starts it.
	 * @param log where its output goes, appended
	 * @return the process
	 */
	public ChildProcess start(Path log) {
		return ChildProcess.start(command(), log, this.readsInput);
	}

	/**
	 * Starts it, and keeps the lines that it prints for {@link ChildProcess#receive}.
	 * @param log where its error output goes, appended
	 * @return the process
	 */
	public ChildProcess startAnswering(Path log) {
		return ChildProcess.startAnswering(command(), log, this.readsInput);
	}

	private List<String> command() {
		List<String> all = new ArrayList<>(this.before);
		all.addAll(this.command);
		if (this.java && !this.readsInput) {
			all.add(Follower.class.getName());
		}
		all.addAll(this.main);
		all.addAll(this.arguments);
		return all;
	}

}
