package io.github.zklock;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.InstantSource;
import java.time.temporal.Temporal;
import java.time.temporal.TemporalAccessor;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
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
 * Holds the rooms of the house, and the arrows between them, in place.
 */
@AnalyzeClasses(packages = ArchitectureTests.ROOT, importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {

	static final String ROOT = "io.github.zklock";

	private static final String SPI = ROOT + ".spi..";

	private static final String INSPECT = ROOT + ".inspect..";

	private static final String CONCURRENT = ROOT + ".internal.concurrent..";

	private static final String NODE = ROOT + ".internal.node..";

	private static final String SESSION = ROOT + ".internal.session..";

	private static final String CONTENDER = ROOT + ".internal.contender..";

	private static final String COHORT = ROOT + ".internal.cohort..";

	private static final String CLIENT = ROOT + ".internal.client..";

	private static final String ZOOKEEPER = ROOT + ".zookeeper..";

	private static final String AOP = ROOT + ".aop..";

	private static final String METRICS = ROOT + ".metrics..";

	private static final String OBSERVATION = ROOT + ".observation..";

	private static final String HEALTH = ROOT + ".health..";

	private static final String ENDPOINT = ROOT + ".actuate.endpoint..";

	private static final String INTEGRATION = ROOT + ".integration..";

	private static final String SHEDLOCK = ROOT + ".shedlock..";

	private static final String TEST = ROOT + ".test..";

	private static final String AUTOCONFIGURE = ROOT + ".autoconfigure..";

	private static final String[] ENGINE = { ROOT, SPI, INSPECT, CONCURRENT, NODE, SESSION, CONTENDER, COHORT, CLIENT,
			ZOOKEEPER };

	private static final String JDK = "java..";

	private static final String JSPECIFY = "org.jspecify.annotations..";

	private static final String SLF4J = "org.slf4j..";

	@ArchTest
	static final ArchRule everyClassStandsInARoom = classes().should()
		.resideInAnyPackage(ROOT, SPI, INSPECT, CONCURRENT, NODE, SESSION, CONTENDER, COHORT, CLIENT, ZOOKEEPER, AOP,
				METRICS, OBSERVATION, HEALTH, ENDPOINT, INTEGRATION, SHEDLOCK, TEST, AUTOCONFIGURE);

	@ArchTest
	static final ArchRule theRootKnowsTheJdkAlone = room(ROOT, JDK, JSPECIFY);

	@ArchTest
	static final ArchRule inspectKnowsTheRoot = room(INSPECT, ROOT, JDK, JSPECIFY);

	@ArchTest
	static final ArchRule theSpiKnowsInspect = room(SPI, ROOT, INSPECT, JDK, JSPECIFY);

	@ArchTest
	static final ArchRule concurrentIsMechanism = room(CONCURRENT, JDK, JSPECIFY, SLF4J);

	@ArchTest
	static final ArchRule nodesAreValues = room(NODE, ROOT, INSPECT, JDK, JSPECIFY);

	@ArchTest
	static final ArchRule sessionsKnowNoContender = room(SESSION, ROOT, CONCURRENT, NODE, "org.apache.curator..",
			"org.apache.zookeeper..", JDK, JSPECIFY, SLF4J);

	@ArchTest
	static final ArchRule contendersKnowSessions = room(CONTENDER, ROOT, SPI, CONCURRENT, NODE, SESSION,
			"org.apache.zookeeper..", JDK, JSPECIFY, SLF4J);

	@ArchTest
	static final ArchRule cohortsKnowNoZooKeeper = room(COHORT, ROOT, SPI, CONCURRENT, JDK, JSPECIFY, SLF4J);

	@ArchTest
	static final ArchRule theClientKnowsNoZooKeeper = room(CLIENT, ROOT, SPI, INSPECT, CONCURRENT, COHORT, JDK,
			JSPECIFY, SLF4J);

	@ArchTest
	static final ArchRule zookeeperKnowsWhatLiesBelowIt = room(ZOOKEEPER, ROOT, SPI, INSPECT, CONCURRENT, NODE, SESSION,
			CONTENDER, COHORT, CLIENT, "org.apache.curator..", "org.apache.zookeeper..", JDK, JSPECIFY, SLF4J);

	@ArchTest
	static final ArchRule aopKnowsTheRootAndSpring = room(AOP, ROOT, "org.springframework.aop..",
			"org.springframework.aot..", "org.springframework.beans..", "org.springframework.context..",
			"org.springframework.core..", "org.springframework.expression..", "org.springframework.format..",
			"org.springframework.transaction..", "org.springframework.util..", "org.aopalliance..",
			"org.reactivestreams..", "reactor..", JDK, JSPECIFY, SLF4J);

	@ArchTest
	static final ArchRule metricsKnowNoOtherRoom = noOtherRoom(METRICS);

	@ArchTest
	static final ArchRule observationKnowsNoOtherRoom = noOtherRoom(OBSERVATION);

	@ArchTest
	static final ArchRule healthKnowsNoOtherRoom = noOtherRoom(HEALTH);

	@ArchTest
	static final ArchRule theEndpointKnowsInspect = noOtherRoom(ENDPOINT, INSPECT);

	@ArchTest
	static final ArchRule integrationKnowsTheRootAndSpringIntegration = room(INTEGRATION, ROOT,
			"org.springframework.integration..", JDK, JSPECIFY);

	@ArchTest
	static final ArchRule shedLockKnowsTheRootAndShedLock = room(SHEDLOCK, ROOT, "net.javacrumbs.shedlock..", JDK,
			JSPECIFY, SLF4J);

	@ArchTest
	static final ArchRule testKnowsTheEngineAndTestLibraries = room(TEST, ROOT, ZOOKEEPER, "org.apache.curator..",
			"org.apache.zookeeper..", "org.junit.jupiter.api..", "org.springframework.test..",
			"org.springframework.beans..", "org.springframework.context..", "org.springframework.core..", JDK,
			JSPECIFY);

	@ArchTest
	static final ArchRule nobodyKnowsWhatIsForTests = noClasses().that()
		.resideOutsideOfPackage(TEST)
		.should()
		.dependOnClassesThat()
		.resideInAPackage(TEST);

	@ArchTest
	static final ArchRule nobodyKnowsTheAutoConfiguration = noClasses().that()
		.resideOutsideOfPackage(AUTOCONFIGURE)
		.should()
		.dependOnClassesThat()
		.resideInAPackage(AUTOCONFIGURE)
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule theEngineIsFreeOfSpring = noClasses().that()
		.resideInAnyPackage(ENGINE)
		.should()
		.dependOnClassesThat()
		.resideInAPackage("org.springframework..")
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule theEngineReadsNoWallClock = noClasses().that()
		.resideInAnyPackage(ENGINE)
		.and(areNotWhereTheClockComesIn())
		.should()
		.accessTargetWhere(readsTheWallClock())
		.because("deadlines are kept on the monotonic clock, and a time for people comes in through the constructor")
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule everyPackageIsNullMarked = all(packages()).should(beNullMarked());

	@ArchTest
	static final ArchRule packagesFormNoCycle = SlicesRuleDefinition.slices()
		.assignedFrom(eachPackage())
		.should()
		.beFreeOfCycles()
		.allowEmptyShould(true);

	@ArchTest
	void publicTypesAreThoseOfTheCheckedInList(JavaClasses classes) throws IOException {
		List<String> listed = listedPublicTypes();
		Set<String> found = classes.stream()
			.filter(ArchitectureTests::isVisibleToUsers)
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
	}

	private static ArchRule room(String room, String... mayKnow) {
		List<String> known = new ArrayList<>(List.of(mayKnow));
		known.add(room);
		return classes().that()
			.resideInAPackage(room)
			.should()
			.onlyDependOnClassesThat()
			.resideInAnyPackage(known.toArray(String[]::new))
			.allowEmptyShould(true);
	}

	private static ArchRule noOtherRoom(String room, String... butThese) {
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

	private static DescribedPredicate<JavaClass> areNotWhereTheClockComesIn() {
		return DescribedPredicate.describe("are not the builder that takes a clock", (type) -> {
			String name = type.getName();
			return !name.endsWith(".ZooKeeperLockClient$Builder") && !name.endsWith(".LockSessions$Builder");
		});
	}

	private static DescribedPredicate<JavaAccess<?>> readsTheWallClock() {
		return DescribedPredicate.describe("the target reads the wall clock", (access) -> {
			JavaClass owner = access.getTargetOwner();
			String name = access.getTarget().getName();
			boolean withoutArguments = access.getTarget().getFullName().endsWith("()");
			return (owner.isEquivalentTo(System.class) && name.equals("currentTimeMillis"))
					|| (isOfJavaTime(owner) && name.equals("now"))
					|| (owner.isEquivalentTo(Clock.class) && (name.startsWith("system") || name.startsWith("tick")))
					|| (owner.isEquivalentTo(InstantSource.class) && name.equals("system"))
					|| (owner.isAssignableTo(Date.class) && name.equals("<init>") && withoutArguments)
					|| (owner.isAssignableTo(Calendar.class)
							&& (name.equals("getInstance") || (name.equals("<init>") && withoutArguments)));
		});
	}

	private static boolean isOfJavaTime(JavaClass type) {
		return type.getPackageName().startsWith("java.time")
				&& (type.isAssignableTo(Temporal.class) || type.isAssignableTo(TemporalAccessor.class));
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
		return visible && type.getEnclosingClass().map(ArchitectureTests::isVisibleToUsers).orElse(true);
	}

	private static List<String> listedPublicTypes() throws IOException {
		try (InputStream list = ArchitectureTests.class.getResourceAsStream("/public-types.txt")) {
			assertThat(list).as("src/test/resources/public-types.txt").isNotNull();
			return new String(list.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
		}
	}

}
