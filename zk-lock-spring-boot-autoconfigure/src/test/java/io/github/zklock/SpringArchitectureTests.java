package io.github.zklock;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

import io.github.zklock.testing.Rooms;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

/**
 * Holds the rooms of what is Spring's, and the arrows between them, in place.
 */
@AnalyzeClasses(locations = Rooms.OfThisModule.class)
class SpringArchitectureTests {

	private static final String INSPECT = Rooms.ROOT + ".inspect..";

	private static final String AOP = Rooms.ROOT + ".aop..";

	private static final String METRICS = Rooms.ROOT + ".metrics..";

	private static final String OBSERVATION = Rooms.ROOT + ".observation..";

	private static final String HEALTH = Rooms.ROOT + ".health..";

	private static final String ENDPOINT = Rooms.ROOT + ".actuate.endpoint..";

	private static final String INTEGRATION = Rooms.ROOT + ".integration..";

	private static final String SHEDLOCK = Rooms.ROOT + ".shedlock..";

	private static final String AUTOCONFIGURE = Rooms.ROOT + ".autoconfigure..";

	private static final String SPRING = Rooms.ROOT + ".spring..";

	private static final String JDK = "java..";

	private static final String JSPECIFY = "org.jspecify.annotations..";

	private static final String SLF4J = "org.slf4j..";

	@ArchTest
	static final ArchRule everyClassStandsInARoom = classes().should()
		.resideInAnyPackage(AOP, METRICS, OBSERVATION, HEALTH, ENDPOINT, INTEGRATION, SHEDLOCK, SPRING, AUTOCONFIGURE);

	@ArchTest
	static final ArchRule nobodyKnowsHowTheEngineIsBuilt = noClasses().should()
		.dependOnClassesThat()
		.resideInAPackage(Rooms.ROOT + ".internal..");

	@ArchTest
	static final ArchRule aopKnowsTheRootAndSpring = Rooms.room(AOP, Rooms.ROOT, "org.springframework.aop..",
			"org.springframework.asm..", "org.springframework.aot..", "org.springframework.beans..",
			"org.springframework.context..", "org.springframework.core..", "org.springframework.expression..",
			"org.springframework.format..", "org.springframework.transaction..", "org.springframework.util..",
			"org.aopalliance..", "org.reactivestreams..", "reactor..", JDK, JSPECIFY, SLF4J);

	@ArchTest
	static final ArchRule metricsKnowNoOtherRoom = Rooms.noOtherRoom(METRICS);

	@ArchTest
	static final ArchRule observationKnowsNoOtherRoom = Rooms.noOtherRoom(OBSERVATION);

	@ArchTest
	static final ArchRule healthKnowsTheEvents = Rooms.noOtherRoom(HEALTH, SPRING);

	@ArchTest
	static final ArchRule theEndpointKnowsInspect = Rooms.noOtherRoom(ENDPOINT, INSPECT);

	@ArchTest
	static final ArchRule integrationKnowsTheRootAndSpringIntegration = Rooms.room(INTEGRATION, Rooms.ROOT,
			"org.springframework.integration..", JDK, JSPECIFY);

	@ArchTest
	static final ArchRule shedLockKnowsTheRootAndShedLock = Rooms.room(SHEDLOCK, Rooms.ROOT,
			"net.javacrumbs.shedlock..", JDK, JSPECIFY, SLF4J);

	@ArchTest
	static final ArchRule eventsKnowTheRootAndSpring = Rooms.room(SPRING, Rooms.ROOT, "org.springframework.context..",
			JDK, JSPECIFY);

	@ArchTest
	static final ArchRule nobodyKnowsTheAutoConfiguration = noClasses().that()
		.resideOutsideOfPackage(AUTOCONFIGURE)
		.should()
		.dependOnClassesThat()
		.resideInAPackage(AUTOCONFIGURE)
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule everyPackageIsNullMarked = Rooms.everyPackageIsNullMarked();

	@ArchTest
	static final ArchRule packagesFormNoCycle = Rooms.packagesFormNoCycle();

	@ArchTest
	void publicTypesAreThoseOfTheCheckedInList(JavaClasses classes) {
		Rooms.assertPublicTypesAreListed(classes, 30);
	}

}
