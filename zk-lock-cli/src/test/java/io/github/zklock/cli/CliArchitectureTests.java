package io.github.zklock.cli;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

import io.github.zklock.testing.Rooms;

/**
 * Holds that the command line knows the public doors of the core alone, and no Spring.
 */
@AnalyzeClasses(locations = Rooms.OfThisModule.class)
class CliArchitectureTests {

	@ArchTest
	static final ArchRule cliKnowsThePublicCore = Rooms.room(Rooms.ROOT + ".cli..", Rooms.ROOT,
			Rooms.ROOT + ".inspect..", Rooms.ROOT + ".zookeeper..", "org.apache.curator..", "org.apache.zookeeper..",
			"picocli..", "tools.jackson..", "java..", "org.jspecify.annotations..");

	@ArchTest
	static final ArchRule everyPackageIsNullMarked = Rooms.everyPackageIsNullMarked();

	@ArchTest
	void publicTypesAreThoseOfTheCheckedInList(JavaClasses classes) {
		Rooms.assertPublicTypesAreListed(classes, 1);
	}

}
