package io.github.zklock.benchmarks;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

/**
 * Which package may know which.
 */
@AnalyzeClasses(packages = "io.github.zklock.benchmarks", importOptions = ImportOption.DoNotIncludeTests.class)
class BenchmarksArchitectureTests {

	@ArchTest
	void packagesKnowEachOtherOneWay(JavaClasses all) {
		SlicesRuleDefinition.slices()
			.matching("io.github.zklock.benchmarks.(*)..")
			.should()
			.beFreeOfCycles()
			.check(all);
	}

	@ArchTest
	void workersKnowNothingOfWhoMeasures(JavaClasses all) {
		noClasses().that()
			.resideInAnyPackage("io.github.zklock.benchmarks.worker", "io.github.zklock.benchmarks.peer",
					"io.github.zklock.benchmarks.process")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("io.github.zklock.benchmarks", "io.github.zklock.benchmarks.run",
					"io.github.zklock.benchmarks.report")
			.check(all);
	}

	@ArchTest
	void workersDoNotMeasureByTheWallClock(JavaClasses all) {
		noClasses().that()
			.resideInAPackage("io.github.zklock.benchmarks.worker")
			.should()
			.callMethod(System.class, "currentTimeMillis")
			.check(all);
	}

}
