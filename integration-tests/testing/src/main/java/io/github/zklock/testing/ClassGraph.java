package io.github.zklock.testing;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;

/**
 * Which types of ours know which others. A nested type is part of the outer one, and a
 * type does not know itself.
 */
public final class ClassGraph {

	private final Map<String, Set<String>> known = new TreeMap<>();

	private ClassGraph() {
	}

	/**
	 * Reads what classes depend on.
	 * @param classes the classes
	 * @return the graph
	 */
	public static ClassGraph of(JavaClasses classes) {
		ClassGraph graph = new ClassGraph();
		classes.forEach((type) -> {
			Set<String> of = graph.known.computeIfAbsent(outermost(type), (name) -> new TreeSet<>());
			for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
				JavaClass target = dependency.getTargetClass().getBaseComponentType();
				if (target.getPackageName().startsWith(Rooms.ROOT)) {
					of.add(outermost(target));
				}
			}
			of.remove(outermost(type));
		});
		return graph;
	}

	/**
	 * Makes a graph by hand.
	 * @param known who knows whom
	 * @return the graph
	 */
	public static ClassGraph of(Map<String, Set<String>> known) {
		ClassGraph graph = new ClassGraph();
		graph.known.putAll(known);
		return graph;
	}

	private static String outermost(JavaClass type) {
		return type.getEnclosingClass().map(ClassGraph::outermost).orElseGet(type::getName);
	}

	/**
	 * Finds the types each of which knows all the others, directly or through others.
	 * @param most how many such types there may be
	 * @return the larger sets of such types
	 */
	public List<Set<String>> cyclesOfMoreThan(int most) {
		return new Components().all().stream().filter((component) -> component.size() > most).toList();
	}

	/** Finds strongly connected components. Source: Tarjan, 1972. */
	private final class Components {

		private final Map<String, Integer> numbers = new HashMap<>();

		private final Map<String, Integer> lowest = new HashMap<>();

		private final Deque<String> open = new ArrayDeque<>();

		private final Collection<Set<String>> found = new ArrayDeque<>();

		private Collection<Set<String>> all() {
			ClassGraph.this.known.keySet().forEach(this::visitOnce);
			return this.found;
		}

		private void visitOnce(String type) {
			if (!this.numbers.containsKey(type)) {
				visit(type);
			}
		}

		private void visit(String type) {
			int number = this.numbers.size();
			this.numbers.put(type, number);
			this.lowest.put(type, number);
			this.open.push(type);
			for (String other : ClassGraph.this.known.getOrDefault(type, Set.of())) {
				visitOnce(other);
				if (this.open.contains(other)) {
					this.lowest.merge(type, this.lowest.get(other), Math::min);
				}
			}
			if (this.lowest.get(type) == number) {
				Set<String> component = new TreeSet<>();
				while (!component.contains(type)) {
					component.add(this.open.pop());
				}
				this.found.add(component);
			}
		}

	}

}
