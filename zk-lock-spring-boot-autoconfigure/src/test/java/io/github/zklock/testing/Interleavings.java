package io.github.zklock.testing;

import java.lang.reflect.Method;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionResult;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.kotlinx.lincheck.util.ExceptionResult;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jetbrains.lincheck.datastructures.verifier.Verifier;
import org.junit.jupiter.api.Assumptions;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the same few threads again and again, each time in another order of their steps,
 * with the model checker of Lincheck.
 *
 * <p>
 * Each method of a {@link Scenario} with {@code @Operation} runs in a thread of its own.
 * One that throws is wrong. The calls of concurrent collections count as one step each;
 * the other collections are taken to be confined to one thread.
 *
 * <p>
 * What Lincheck does not see it does not find, and it does not say so: on JDK 25 it takes
 * an object that a lambda carries to another thread for one that no other thread knows.
 * Therefore it first has to find such a race; and each test class plants one of its own,
 * to show that its threads really meet.
 */
public final class Interleavings {

	/** How many orders are tried for each scenario: {@code -Dinterleavings=20000}. */
	private static final int ORDERS = Integer.getInteger("interleavings", 50);

	/** The first order also transforms classes, on a machine that may be busy. */
	private static final long PATIENCE_MILLIS = 240_000;

	/** Collections that are confined to a mailbox, or never change. */
	private static final String[] CONFINED = { "java.util.ArrayList", "java.util.HashMap", "java.util.HashSet",
			"java.util.LinkedHashMap", "java.util.LinkedHashSet", "java.util.TreeMap", "java.util.TreeSet",
			"java.util.ImmutableCollections", "java.util.Formatter", "java.util.regex." };

	/** The beginnings of the names of their methods that run what they are given. */
	private static final String[] CALLING = { "forEach", "compute", "merge", "remove", "replaceAll", "sort" };

	/** How often a loop may run before it is taken for one that waits. */
	private static final int LOOPS = 100;

	private static final int LAST_SEEING_JAVA = 21;

	private static Boolean sees;

	private Interleavings() {
	}

	/**
	 * Fails if an order of steps is found that makes the scenario throw. Skips the test
	 * on a JDK on which the tool is blind.
	 * @param scenario the scenario
	 */
	public static void explore(Class<?> scenario) {
		assumeToolSees();
		run(scenario);
	}

	/**
	 * Fails unless an order of steps is found that makes the scenario throw.
	 * @param scenario a scenario with a planted race
	 * @param message what it throws
	 */
	public static void findRace(Class<?> scenario, String message) {
		assumeToolSees();
		assertThat(finds(scenario, message)).as("the planted race is found").isTrue();
	}

	/**
	 * Throws unless something is so.
	 * @param so whether it is
	 * @param otherwise what is wrong if it is not
	 */
	public static void check(boolean so, String otherwise) {
		if (!so) {
			throw new AssertionError(otherwise);
		}
	}

	private static void assumeToolSees() {
		if (sees == null) {
			((Logger) LoggerFactory.getLogger("io.github.zklock")).setLevel(Level.OFF);
			sees = finds(CarriedByLambda.class, "planted");
		}
		int java = Runtime.version().feature();
		check(sees || java > LAST_SEEING_JAVA, "Lincheck does not find a race that is there");
		Assumptions.assumeTrue(sees, "Lincheck does not find a race that is there on Java " + java);
	}

	private static boolean finds(Class<?> scenario, String message) {
		try {
			run(scenario);
			return false;
		}
		catch (LincheckAssertionError ex) {
			if (!ex.getMessage().contains(message)) {
				throw ex;
			}
			return true;
		}
	}

	private static void run(Class<?> scenario) {
		List<List<Actor>> threads = Stream.of(scenario.getMethods())
			.filter((method) -> method.isAnnotationPresent(Operation.class))
			.sorted(Comparator.comparing(Method::getName))
			.map((method) -> List.of(new Actor(method, List.of())))
			.toList();
		new ModelCheckingOptions().iterations(0)
			.addCustomScenario(new ExecutionScenario(List.of(actor(scenario, "prepare")), threads, List.of(),
					actor(scenario, "verify")))
			.invocationsPerIteration(ORDERS)
			.minimizeFailedScenario(false)
			.verifier(NothingThrown.class)
			.loopIterationsBeforeThreadSwitch(LOOPS)
			.addGuarantee(ManagedStrategyGuaranteeKt.forClasses(Interleavings::isConfined)
				.methods(Interleavings::callsNobody)
				.ignore())
			.analyzeStdLib$lincheck(false)
			.invocationTimeout$lincheck(PATIENCE_MILLIS)
			.check(scenario);
	}

	private static Actor actor(Class<?> scenario, String method) {
		try {
			return new Actor(scenario.getMethod(method), List.of());
		}
		catch (NoSuchMethodException ex) {
			throw new AssertionError("Not a scenario", ex);
		}
	}

	private static boolean isConfined(String type) {
		return type.startsWith("java.util.") && startsWithOneOf(type, CONFINED);
	}

	private static boolean callsNobody(String method) {
		return !startsWithOneOf(method, CALLING);
	}

	// Asked for every call that is made, so no stream.
	private static boolean startsWithOneOf(String name, String[] beginnings) {
		for (String beginning : beginnings) {
			if (name.startsWith(beginning)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Accepts whatever the operations return, but not that they throw.
	 */
	public static final class NothingThrown implements Verifier {

		/**
		 * Creates a verifier. Lincheck calls it.
		 * @param scenario the scenario
		 */
		public NothingThrown(Class<?> scenario) {
		}

		@Override
		public boolean verifyResults(ExecutionScenario scenario, ExecutionResult results) {
			return results.getParallelResultsWithClock()
				.stream()
				.flatMap(List::stream)
				.noneMatch((result) -> result.getResult() instanceof ExceptionResult);
		}

	}

	/**
	 * A few threads, what they meet on, and what must be so afterwards. Subclasses are
	 * public, and have a constructor without parameters.
	 */
	public abstract static class Scenario {

		/**
		 * Makes everything anew. In the constructor objects would have other hash codes.
		 */
		public abstract void prepare();

		/** Throws if what the threads have left is wrong. */
		@Validate
		public abstract void verify();

	}

	/** Two threads count at once; one has the counter from the other's lambda. */
	public static class CarriedByLambda extends Scenario {

		private AtomicReference<Runnable> carried;

		private volatile int expected;

		private volatile int counted;

		@Override
		public void prepare() {
			this.carried = new AtomicReference<>();
			this.expected = 1;
		}

		@Operation
		public void first() {
			int[] count = new int[1];
			this.carried.set(() -> this.counted = ++count[0]);
			this.counted = ++count[0];
		}

		@Operation
		public void second() {
			Runnable step = this.carried.get();
			if (step != null) {
				this.expected = 2;
				step.run();
			}
		}

		@Override
		public void verify() {
			check(this.counted == this.expected, "planted");
		}

	}

}
