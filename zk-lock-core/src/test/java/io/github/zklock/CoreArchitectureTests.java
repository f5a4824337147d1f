package io.github.zklock;

import java.time.Clock;
import java.time.InstantSource;
import java.time.temporal.Temporal;
import java.time.temporal.TemporalAccessor;
import java.util.Calendar;
import java.util.Date;
import java.util.Map;
import java.util.Set;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.jupiter.api.Test;

import io.github.zklock.testing.ClassGraph;
import io.github.zklock.testing.Rooms;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holds the rooms of the engine, and the arrows between them, in place.
 */
@AnalyzeClasses(locations = Rooms.OfThisModule.class)
class CoreArchitectureTests {

	private static final String SPI = Rooms.ROOT + ".spi..";

	private static final String INSPECT = Rooms.ROOT + ".inspect..";

	private static final String CONCURRENT = Rooms.ROOT + ".internal.concurrent..";

	private static final String NODE = Rooms.ROOT + ".internal.node..";

	private static final String SESSION = Rooms.ROOT + ".internal.session..";

	private static final String CONTENDER = Rooms.ROOT + ".internal.contender..";

	private static final String COHORT = Rooms.ROOT + ".internal.cohort..";

	private static final String CLIENT = Rooms.ROOT + ".internal.client..";

	private static final String ZOOKEEPER = Rooms.ROOT + ".zookeeper..";

	private static final String MEMORY = Rooms.ROOT + ".memory..";

	private static final String JDK = "java..";

	private static final int LARGEST_CYCLE = 3;

	private static final String JSPECIFY = "org.jspecify.annotations..";

	private static final String SLF4J = "org.slf4j..";

	@ArchTest
	static final ArchRule everyClassStandsInARoom = classes().should()
		.resideInAnyPackage(Rooms.ROOT, SPI, INSPECT, CONCURRENT, NODE, SESSION, CONTENDER, COHORT, CLIENT, ZOOKEEPER,
				MEMORY);

	@ArchTest
	static final ArchRule theRootKnowsTheJdkAndItsLog = Rooms.room(Rooms.ROOT, JDK, JSPECIFY, SLF4J);

	@ArchTest
	static final ArchRule inspectKnowsTheRoot = Rooms.room(INSPECT, Rooms.ROOT, JDK, JSPECIFY);

	@ArchTest
	static final ArchRule theSpiKnowsInspect = Rooms.room(SPI, Rooms.ROOT, INSPECT, JDK, JSPECIFY);

	@ArchTest
	static final ArchRule concurrentIsMechanism = Rooms.room(CONCURRENT, JDK, JSPECIFY, SLF4J);

	@ArchTest
	static final ArchRule nodesAreValues = Rooms.room(NODE, Rooms.ROOT, INSPECT, JDK, JSPECIFY);

	@ArchTest
	static final ArchRule sessionsKnowNoContender = Rooms.room(SESSION, Rooms.ROOT, CONCURRENT, NODE,
			"org.apache.curator..", "org.apache.zookeeper..", JDK, JSPECIFY, SLF4J);

	@ArchTest
	static final ArchRule contendersKnowSessions = Rooms.room(CONTENDER, Rooms.ROOT, SPI, CONCURRENT, NODE, SESSION,
			"org.apache.zookeeper..", JDK, JSPECIFY, SLF4J);

	@ArchTest
	static final ArchRule cohortsKnowNoZooKeeper = Rooms.room(COHORT, Rooms.ROOT, SPI, CONCURRENT, JDK, JSPECIFY,
			SLF4J);

	@ArchTest
	static final ArchRule theClientKnowsNoZooKeeper = Rooms.room(CLIENT, Rooms.ROOT, SPI, INSPECT, CONCURRENT, COHORT,
			JDK, JSPECIFY, SLF4J);

	@ArchTest
	static final ArchRule zookeeperKnowsWhatLiesBelowIt = Rooms.room(ZOOKEEPER, Rooms.ROOT, SPI, INSPECT, CONCURRENT,
			NODE, SESSION, CONTENDER, COHORT, CLIENT, "org.apache.curator..", "org.apache.zookeeper..",
			"org.apache.jute..", JDK, JSPECIFY, SLF4J);

	@ArchTest
	static final ArchRule memoryKnowsNoZooKeeper = Rooms.room(MEMORY, Rooms.ROOT, SPI, INSPECT, CONCURRENT, NODE,
			COHORT, CLIENT, JDK, JSPECIFY, SLF4J);

	@ArchTest
	static final ArchRule theEngineReadsNoWallClock = noClasses().that(areNotWhereTheClockComesIn())
		.should()
		.accessTargetWhere(readsTheWallClock())
		.because("deadlines are kept on the monotonic clock, and a time for people comes in through the constructor");

	@ArchTest
	static final ArchRule everyPackageIsNullMarked = Rooms.everyPackageIsNullMarked();

	@ArchTest
	static final ArchRule packagesFormNoCycle = Rooms.packagesFormNoCycle();

	@ArchTest
	void publicTypesAreThoseOfTheCheckedInList(JavaClasses classes) {
		Rooms.assertPublicTypesAreListed(classes, 42);
	}

	@ArchTest
	void noMoreThanThreeClassesKnowEachOther(JavaClasses classes) {
		assertThat(ClassGraph.of(classes).cyclesOfMoreThan(LARGEST_CYCLE)).isEmpty();
	}

	@Test
	void canaryTypesThatKnowEachOtherAreFound() {
		ClassGraph graph = ClassGraph
			.of(Map.of("A", Set.of("B"), "B", Set.of("C", "D"), "C", Set.of("A"), "D", Set.of("E"), "E", Set.of("D")));
		assertThat(graph.cyclesOfMoreThan(2)).containsExactly(Set.of("A", "B", "C"));
	}

	private static DescribedPredicate<JavaClass> areNotWhereTheClockComesIn() {
		return DescribedPredicate.describe("are not the builder that takes a clock", (type) -> {
			String name = type.getName();
			return !name.endsWith(".ZooKeeperLockClient$Builder") && !name.endsWith(".LockSessions$Builder")
					&& !name.endsWith(".MemoryLockClient$Builder");
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

}
