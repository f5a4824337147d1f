package io.github.zklock.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.LocationProvider;
import com.tngtech.archunit.lang.AbstractClassesTransformer;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import org.jspecify.annotations.NullMarked;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.all;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

/**
 * What the rules on the architecture of each module are made of.
 */
public final class Rooms {

	/** The package that the names of all others begin with. */
	public static final String ROOT = "io.github.zklock";

	private Rooms() {
	}

	/**
	 * The classes of a room know nothing but what is named.
	 * @param room the room
	 * @param mayKnow the packages that it may know beside itself
	 * @return the rule
	 */
	public static ArchRule room(String room, String... mayKnow) {
		List<String> known = new ArrayList<>(List.of(mayKnow));
		known.add(room);
		return classes().that()
			.resideInAPackage(room)
			.should()
			.onlyDependOnClassesThat()
			.resideInAnyPackage(known.toArray(String[]::new))
			.allowEmptyShould(true);
	}

	/**
	 * The classes of a room know of ours only the root and what is named.
	 * @param room the room
	 * @param butThese the rooms that it may know
	 * @return the rule
	 */
	public static ArchRule noOtherRoom(String room, String... butThese) {
		List<String> known = new ArrayList<>(List.of(butThese));
		known.add(ROOT);
		known.add(room);
		return noClasses().that()
			.resideInAPackage(room)
			.should()
			.dependOnClassesThat(JavaClass.Predicates.resideInAPackage(ROOT + "..")
				.and(JavaClass.Predicates.resideOutsideOfPackages(known.toArray(String[]::new))))
			.allowEmptyShould(true);
	}

	/**
	 * Every package of the module says that what may be null is marked.
	 * @return the rule
	 */
	public static ArchRule everyPackageIsNullMarked() {
		return all(packages()).should(beNullMarked());
	}

	/**
	 * No two packages know each other, directly or through others.
	 * @return the rule
	 */
	public static ArchRule packagesFormNoCycle() {
		return SlicesRuleDefinition.slices()
			.assignedFrom(eachPackage())
			.should()
			.beFreeOfCycles()
			.allowEmptyShould(true);
	}

	/**
	 * Holds that the types that users see are those of {@code public-types.txt}, and not
	 * too many.
	 * @param classes the classes of the module
	 * @param most how many there may be, without nested types
	 */
	public static void assertPublicTypesAreListed(JavaClasses classes, int most) {
		List<String> listed = listedPublicTypes();
		Set<String> found = classes.stream()
			.filter(Rooms::isVisibleToUsers)
			.map(JavaClass::getName)
			.collect(Collectors.toCollection(TreeSet::new));
		List<String> unlisted = found.stream().filter((name) -> !listed.contains(name)).toList();
		List<String> gone = listed.stream().filter((name) -> !found.contains(name)).toList();
		if (!unlisted.isEmpty() || !gone.isEmpty()) {
			fail(Stream
				.concat(unlisted.stream().map((name) -> "  + " + name), gone.stream().map((name) -> "  - " + name))
				.collect(Collectors.joining("\n", """
						The public types changed. If that is meant, edit src/test/resources/public-types.txt \
						in the same commit: add the lines with +, remove those with -
						""", "")));
		}
		assertThat(listed).as("src/test/resources/public-types.txt is sorted and names each type once")
			.containsExactlyElementsOf(new TreeSet<>(listed));
		assertThat(found).filteredOn((name) -> !name.contains("$"))
			.as("types that users see")
			.hasSizeLessThanOrEqualTo(most);
	}

	private static AbstractClassesTransformer<JavaPackage> packages() {
		return new AbstractClassesTransformer<>("packages") {
			@Override
			public Iterable<JavaPackage> doTransform(JavaClasses classes) {
				return classes.stream().map(JavaClass::getPackage).collect(Collectors.toSet());
			}
		};
	}

	private static ArchCondition<JavaPackage> beNullMarked() {
		return new ArchCondition<>("be @NullMarked in package-info.java") {
			@Override
			public void check(JavaPackage item, ConditionEvents events) {
				boolean marked = item.isAnnotatedWith(NullMarked.class);
				events.add(new SimpleConditionEvent(item, marked,
						item.getName() + (marked ? " is" : " is not") + " @NullMarked"));
			}
		};
	}

	private static SliceAssignment eachPackage() {
		return new SliceAssignment() {
			@Override
			public String getDescription() {
				return "each package";
			}

			@Override
			public SliceIdentifier getIdentifierOf(JavaClass type) {
				return type.getPackageName().startsWith(ROOT) ? SliceIdentifier.of(type.getPackageName())
						: SliceIdentifier.ignore();
			}
		};
	}

	private static boolean isVisibleToUsers(JavaClass type) {
		if (type.getPackageName().startsWith(ROOT + ".internal.")) {
			return false;
		}
		boolean visible = type.getModifiers().contains(JavaModifier.PUBLIC)
				|| type.getModifiers().contains(JavaModifier.PROTECTED);
		return visible && type.getEnclosingClass().map(Rooms::isVisibleToUsers).orElse(true);
	}

	private static List<String> listedPublicTypes() {
		try (InputStream list = Rooms.class.getResourceAsStream("/public-types.txt")) {
			assertThat(list).as("src/test/resources/public-types.txt").isNotNull();
			return new String(list.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * The classes of the module whose tests run.
	 */
	public static final class OfThisModule implements LocationProvider {

		@Override
		public Set<Location> get(Class<?> test) {
			return Set.of(Location.of(Path.of("target", "classes")));
		}

	}

}
